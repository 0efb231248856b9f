/** Texts of dates and intervals, read as PostgreSQL writes them; without a zone, they are in UTC. */
import type { IntervalConstant } from './constants.js';

const datePattern =
  /^\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?\s*$/i;

/** Null for a text that is no date. */
export function readDate(text: string, isDay: boolean): Date | null {
  const found = datePattern.exec(text);
  if (found === null) return null;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  if (hour > 24 || minute > 59 || second > 60) return null;
  if (isDay) return date;
  const milliseconds = Number((found[7] ?? '').padEnd(3, '0').slice(0, 3));
  date.setUTCHours(hour, minute, second, milliseconds);
  return new Date(date.getTime() - zoneOffsetMs(found[8] ?? 'Z'));
}

function zoneOffsetMs(zone: string): number {
  const found = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (found === null) return 0;
  const minutes = Number(found[2]) * 60 + Number(found[3] ?? 0);
  return (found[1] === '-' ? -1 : 1) * minutes * 60_000;
}

const unitMilliseconds: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: 1000,
  sec: 1000,
  minute: 60_000,
  min: 60_000,
  hour: 3_600_000,
  hr: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const unitMonths: Readonly<Record<string, number>> = { month: 1, mon: 1, year: 12, yr: 12 };

/** Null for a text that is no interval; days have 24 hours, as they have in UTC. */
export function readInterval(text: string): IntervalConstant | null {
  let months = 0;
  let milliseconds = 0;
  const parts = text
    .trim()
    .toLowerCase()
    .matchAll(/([+-]?\d+(?:\.\d+)?)\s*([a-z]+)\s*|([+-])?(\d+):(\d{2})(?::(\d{2}))?\s*|(.+)/g);
  let count = 0;
  for (const [, amount, unit, sign, hours, minutes, seconds, rest] of parts) {
    count += 1;
    if (rest !== undefined) return null;
    if (unit === undefined) {
      const total = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds ?? 0);
      milliseconds += (sign === '-' ? -1000 : 1000) * total;
      continue;
    }
    const name = unit.length > 1 && unit.endsWith('s') ? unit.slice(0, -1) : unit;
    const inMonths = Object.hasOwn(unitMonths, name) ? (unitMonths[name] ?? 0) : 0;
    const inMilliseconds = Object.hasOwn(unitMilliseconds, name) ? (unitMilliseconds[name] ?? 0) : 0;
    if (inMonths === 0 && inMilliseconds === 0) return null;
    months += Number(amount) * inMonths;
    milliseconds += Number(amount) * inMilliseconds;
  }
  if (count === 0 || !Number.isInteger(months)) return null;
  return { form: 'interval', months, milliseconds: Math.round(milliseconds) };
}

/** The date so much later; the day of a shorter month is its last, as PostgreSQL has it. */
export function later(date: Date, interval: IntervalConstant, sign: 1 | -1): Date {
  const moved = new Date(date);
  const day = moved.getUTCDate();
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + sign * interval.months);
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(day, lastDay));
  return new Date(moved.getTime() + sign * interval.milliseconds);
}

export function startOfDay(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()));
}
