import type { BenchDatabase } from './database.js';
import { mysqlBenches } from './mysql.js';
import { postgresBench } from './postgres.js';

export const benchDatabases: readonly BenchDatabase[] = [postgresBench, ...mysqlBenches];
