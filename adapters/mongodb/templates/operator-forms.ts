/** What the operators of filters and updates take, told by the operator that the server's own message speaks of. */
import type { TemplateInput } from '../../../src/core/notes/templates.js';

/** `text` is looked for in the message, behind which values may come: nothing of it is shown. */
const operatorForms: readonly (readonly [text: RegExp, advice: string])[] = [
  [
    /\$push\b|^\$(?:each|position|slice)\b/,
    '$push takes { field: { $each: [ values ], $slice: , $sort: , $position: } }, the last three as documented.',
  ],
  [
    /\$pullAll\b|\$pushAll\b/,
    '$pullAll takes an array of values; $pushAll is gone, so use $push with $each.',
  ],
  [/\$bit\b/, '$bit takes { field: { and: n } } with and, or or xor, and whole numbers.'],
  [
    /^\(?\$(?:and|or|nor)\b|for \$(?:and|or|nor)\b/,
    '$and, $or and $nor take an array of conditions, not empty: { $or: [ { a: 1 }, { b: 2 } ] }.',
  ],
  [
    /^\$(?:in|nin)\b|cannot nest \$ under|for \$(?:in|nin)\b/,
    '$in and $nin take an array of plain values: { field: { $in: [ values ] } }, even for one value.',
  ],
  [
    /^\$not\b|Operator \$not/,
    '$not takes conditions or a regular expression: { field: { $not: { $gt: 5 } } }; for a value use $ne.',
  ],
  [
    /^\$elemMatch\b|^elemMatch\b/,
    '$elemMatch takes an object of conditions: { field: { $elemMatch: { a: 1 } } }.',
  ],
  [/^\$all\b|\bin \$all\b|for \$all\b/, '$all takes an array of values: { field: { $all: [ values ] } }.'],
  [
    /^\$size\b|parse \$size|operator \$size/,
    '$size takes one whole number of 0 or more; compare lengths with $expr and { $size: <path> }.',
  ],
  [
    /^\$(?:regex|options)\b|^Can't have [Rr]eg[Ee]x/,
    '$regex takes a string or a regular expression, $options stands beside it, and $ne and $gt take neither: use $not.',
  ],
  [/^\$mod\b|^malformed mod/, '$mod takes two numbers: { field: { $mod: [ divisor, rest ] } }.'],
  [
    /^\$type\b|data type alias|type alias|type code/,
    '$type takes a documented name such as string, int, double, date, objectId, array or null, or its number.',
  ],
  [
    /^[Bb]ad sort|^The \$sort|^Sort direction|sort specification|^\$sort key|^Illegal key in \$sort/,
    'sort takes an object of fields with 1 or -1: { field: 1, other: -1 }.',
  ],
  [
    /^\$text\b|\$search\b/,
    '$text takes { $search: words, $language: , $caseSensitive: } at the top of the filter.',
  ],
  [
    /^\$(?:near|nearSphere|geoWithin|geoIntersects)\b|^near must|[Gg]eo query|geo(?:graphic(?:al)?)? specifier/,
    'Geo operators take { $geometry: { type: , coordinates: [ longitude, latitude ] } } or a documented shape, and $near its distances beside it.',
  ],
];

export function operatorForm({ error }: TemplateInput): string | null {
  const message = error?.message ?? '';
  return operatorForms.find(([text]) => text.test(message))?.[1] ?? null;
}
