import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { CheckExport } from "./retrieval-check.schema";

/** @throws AppError `invalid` */
export function readExport(json: string): CheckExport {
  let content: unknown;
  try {
    content = parseWellFormed(json);
  } catch (error) {
    throw new AppError("invalid", "This is not valid JSON.", { cause: error });
  }
  const parsed = CheckExport.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.length ? ` (${issue.path.map(String).join(".")})` : "";
  throw new AppError("invalid", `This isn't a question export: ${issue?.message ?? "unknown reason"}${path}`);
}
