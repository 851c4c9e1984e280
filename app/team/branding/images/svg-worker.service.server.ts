export { cleanSvgInWorker } from "../brand-worker.server";
