import { AppError } from "~/core/errors";
import { bundledWorker, WorkerPool } from "~/core/worker-pool.server";
import { BrandOutput, type BrandTask } from "./brand-task";
import type { CleanedCss } from "./custom-css/clean-css";
import type { CleanedSvg } from "./images/clean-svg";

const pool = new WorkerPool<BrandTask, BrandOutput>({
  name: "brand",
  entry: bundledWorker("brand"),
  output: BrandOutput,
  size: 1,
  timeoutMs: 10_000,
  maxHeapMb: 256,
  maxQueue: 20,
});

const unexpected = () => new AppError("internal", "A worker sent an invalid response.");

/**
 * @param scope attribute of the pages to which the rules apply
 * @throws AppError `unavailable` if the queue is full
 */
export async function cleanCssInWorker(source: string, scope: string): Promise<CleanedCss> {
  const output = await pool.run({ work: "css", source, scope });
  if (output.work !== "css") throw unexpected();
  return output.cleaned;
}

export async function cleanSvgInWorker(source: string): Promise<CleanedSvg> {
  const output = await pool.run({ work: "svg", source });
  if (output.work !== "svg") throw unexpected();
  return output.cleaned;
}
