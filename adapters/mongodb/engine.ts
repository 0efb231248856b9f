/** How MongoDB's statements are read, its errors classified and its notes written; servers that speak like it included. */
import type { EngineSupport } from '../../src/core/adapter.js';
import { defaultLexicalOptions } from '../../src/core/verdict.js';
import { classify } from './classify.js';
import { noteTemplates } from './note-templates.js';
import { createMongoShaper } from './shape.js';
import { shownWords } from './shown-words.js';

export const mongodbEngine: EngineSupport = {
  engine: 'mongodb',
  templates: noteTemplates,
  shownWords,
  initialLexical: defaultLexicalOptions,
  createShaper: createMongoShaper,
  classify,
};
