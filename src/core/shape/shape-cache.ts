/** What a shaper remembers of texts it has read: bounded in number and in what texts and shapes hold. */
import { LRUCache } from 'lru-cache';
import { limits } from '../limits.js';
import type { TextShape } from './shape.js';

export type ShapeCache = LRUCache<string, TextShape>;

export function createShapeCache(): ShapeCache {
  return new LRUCache<string, TextShape>({
    max: limits.maxCachedShapes,
    maxSize: limits.maxShapeCacheUnits,
    sizeCalculation: (made, text) => text.length + sizeOf(made),
  });
}

function sizeOf(made: TextShape): number {
  let size = 64;
  for (const statement of made.statements) size += 128 + statement.shape.length + statement.holes.length;
  return size;
}
