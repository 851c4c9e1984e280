import { buildWorkers } from "../../scripts/build-workers.mjs";

/** Tests use the bundled workers, as production does. */
export default async function makeWorkers(): Promise<void> {
  await buildWorkers();
}
