import { buildWorkers } from "../../scripts/node-bundle.mjs";

/** Tests use the bundled workers, as production does. */
export default async function makeWorkers(): Promise<void> {
  await buildWorkers();
}
