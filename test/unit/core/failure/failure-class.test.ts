import { describe, expect, it } from 'vitest';
import {
  failureClasses,
  isRecorded,
  isRetryable,
  retryableClasses,
  unrecordedClasses,
} from '../../../../src/core/failure/failure-class.js';

describe('failure classes', () => {
  it('are 24, each named once, and none of them is also an outcome that is not recorded', () => {
    expect(failureClasses).toHaveLength(24);
    expect(new Set([...failureClasses, ...unrecordedClasses]).size).toBe(24 + unrecordedClasses.length);
  });

  it('are recorded, other outcomes are not', () => {
    expect(failureClasses.every(isRecorded)).toBe(true);
    expect(unrecordedClasses.some(isRecorded)).toBe(false);
  });

  it('are retryable where the same statement is to be run again', () => {
    expect(failureClasses.filter(isRetryable).sort()).toEqual([...retryableClasses].sort());
    expect(isRetryable('statement_timeout')).toBe(false);
  });
});
