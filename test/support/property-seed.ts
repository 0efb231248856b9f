/**
 * Property tests run on one seed, so that a red run is the fault of a change and not of the day's luck. To explore:
 * `TWICESHY_SEED=random npx vitest run test/unit`, or a number to repeat a run.
 */
import fc from 'fast-check';

const asked = process.env['TWICESHY_SEED'];
if (asked !== 'random') fc.configureGlobal({ seed: asked === undefined ? 20_261_130 : Number(asked) });
