import { buildWorkers } from "../../scripts/build-workers.mjs";

/** Worker threads run from their bundles, in the tests as in production. */
export default async function makeWorkers(): Promise<void> {
  await buildWorkers();
}
