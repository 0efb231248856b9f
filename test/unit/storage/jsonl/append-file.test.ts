import { describe, expect, it } from 'vitest';
import { AppendFile, type AppendHandle } from '../../../../src/storage/jsonl/append-file.js';

/** A disk that holds `room` bytes; writes what fits, then fails as a full one does. */
class FullDisk implements AppendHandle {
  content = Buffer.alloc(0);
  room: number;
  canTruncate = true;
  canSync = true;
  syncs = 0;

  constructor(room: number) {
    this.room = room;
  }

  async write(buffer: Buffer, offset: number, length: number): Promise<{ bytesWritten: number }> {
    const bytesWritten = Math.min(length, this.room - this.content.length);
    if (bytesWritten <= 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    this.content = Buffer.concat([this.content, buffer.subarray(offset, offset + bytesWritten)]);
    return { bytesWritten };
  }

  async truncate(length: number): Promise<void> {
    if (!this.canTruncate) throw new Error('cannot truncate');
    this.content = this.content.subarray(0, length);
  }

  async datasync(): Promise<void> {
    if (!this.canSync) throw new Error('input/output error');
    this.syncs++;
  }

  async close(): Promise<void> {}
}

describe('AppendFile', () => {
  it('takes back the part of a batch that fitted', async () => {
    const disk = new FullDisk(10);
    const file = new AppendFile(disk, 0);
    await file.append(Buffer.from('one\n'));
    await expect(file.append(Buffer.from('two\nthree\n'))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(disk.content.toString()).toBe('one\n');
    expect(file.size).toBe(4);
    disk.room = 100;
    await file.append(Buffer.from('four\n'));
    expect(disk.content.toString()).toBe('one\nfour\n');
  });

  it('starts on a line of its own behind a part that could not be taken back', async () => {
    const disk = new FullDisk(6);
    disk.canTruncate = false;
    const file = new AppendFile(disk, 0);
    await file.append(Buffer.from('one\n'));
    await expect(file.append(Buffer.from('three\n'))).rejects.toThrow();
    disk.room = 100;
    await file.append(Buffer.from('four\n'));
    expect(disk.content.toString()).toBe('one\nth\nfour\n');
    expect(file.size).toBe(disk.content.length);
  });

  it('counts nothing of a batch that the disk did not take', async () => {
    const disk = new FullDisk(100);
    disk.canSync = false;
    const file = new AppendFile(disk, 0);
    await expect(file.append(Buffer.from('one\n'), true)).rejects.toThrow('input/output');
    expect(disk.content.length).toBe(0);
  });

  it('syncs only what is new, and again after a sync that failed', async () => {
    const disk = new FullDisk(100);
    const file = new AppendFile(disk, 0);
    await file.sync();
    expect(disk.syncs).toBe(0);
    await file.append(Buffer.from('one\n'));
    disk.canSync = false;
    await expect(file.sync()).rejects.toThrow();
    disk.canSync = true;
    await file.sync();
    await file.sync();
    expect(disk.syncs).toBe(1);
    await file.append(Buffer.from('two\n'), true);
    await file.sync();
    expect(disk.syncs).toBe(2);
  });
});
