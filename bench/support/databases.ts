import type { BenchDatabase } from './database.js';
import { mongodbBench } from './mongodb.js';
import { mysqlBenches } from './mysql.js';
import { postgresBench } from './postgres.js';

const all: readonly BenchDatabase[] = [postgresBench, ...mysqlBenches, mongodbBench];
/** `TWICESHY_BENCH=MySQL,MariaDB` measures those alone. */
const asked = process.env['TWICESHY_BENCH']?.split(',') ?? all.map(({ name }) => name);

export const benchDatabases = all.filter(({ name }) => asked.includes(name));
