import { describe, expect, it } from 'vitest';
import { parseSearchPath, SearchPathTracker } from '../../../../adapters/postgres/search-path.js';

/** The path after each text ran in a transaction of its own. */
function pathAfter(...texts: readonly string[]): readonly string[] | null {
  const tracker = new SearchPathTracker(null);
  for (const text of texts) {
    tracker.ran(text);
    tracker.settled(false, false);
  }
  return tracker.current;
}

describe('search_path', () => {
  it.each([
    ['set search_path = a, b', ['a', 'b']],
    ['SET search_path TO "My Schema", \'x\'', ['My Schema', 'x']],
    ['set session search_path=a;', ['a']],
    ['set "search_path" = s1', ['s1']],
    ["set schema 's2'", ['s2']],
    ['/* why */ set -- note\n search_path to a', ['a']],
    ['select 1; set search_path to a; select 2', ['a']],
    ['set search_path to default', null],
    ["set application_name = 'set search_path to s1'", null],
    ["select 'x set search_path to s1'", null],
    ['set search_path_of_mine = a', null],
    ['set local search_path = a', null],
  ])('%s', (text, path) => {
    expect(pathAfter(text)).toEqual(path);
  });

  it.each(['reset search_path', 'reset all', 'discard all', 'RESET "search_path"'])(
    '%s takes it back',
    (text) => {
      expect(pathAfter('set search_path = a', text)).toBeNull();
    },
  );

  it('is undone with the transaction, and SET LOCAL with its end', () => {
    const tracker = new SearchPathTracker(['public']);
    tracker.ran('set search_path = a');
    tracker.settled(true, false);
    expect(tracker.current).toEqual(['a']);
    tracker.settled(false, true);
    expect(tracker.current).toEqual(['public']);
    tracker.ran('set local search_path = b');
    tracker.settled(true, false);
    expect(tracker.current).toEqual(['b']);
    tracker.settled(false, false);
    expect(tracker.current).toEqual(['public']);
  });

  it('is undone by a rollback to a savepoint', () => {
    const tracker = new SearchPathTracker(['s2']);
    tracker.ran('set search_path = s1');
    tracker.settled(true, true);
    expect(tracker.current).toEqual(['s2']);
  });

  it('holds at once even where the server will report it, and is what the server reports from then on', () => {
    const tracker = new SearchPathTracker(null);
    tracker.reported('"$user", public');
    tracker.ran('set search_path = s2; insert into users values (1)');
    expect(tracker.current).toEqual(['s2']);
    // The statement failed, the SET was undone, and the server had nothing new to report.
    tracker.settled(false, true);
    expect(tracker.current).toEqual(['$user', 'public']);
    tracker.reported('s3');
    tracker.settled(false, false);
    expect(tracker.current).toEqual(['s3']);
  });

  it('reads lists as SET writes them', () => {
    expect(parseSearchPath(' "$user", Public , "a""b", \'c\'')).toEqual(['$user', 'public', 'a"b', 'c']);
  });
});
