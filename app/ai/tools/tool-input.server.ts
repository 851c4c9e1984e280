import { ZodType, z } from "zod";
import { AppError } from "~/core/errors";
import { checkJsonInput } from "./json-schema.server";
import type { JsonSchema, Tool } from "./tool.shared";

export function inputSchemaOf({ input }: Pick<Tool, "input">): JsonSchema {
  if (!(input instanceof ZodType)) return input;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  return schema;
}

async function problemsOf(tool: Tool, input: unknown): Promise<{ problems: string[]; parsed?: unknown }> {
  if (!(tool.input instanceof ZodType)) {
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      return { problems: ["input: must be an object"] };
    }
    return { problems: await checkJsonInput(tool.input, input), parsed: input };
  }
  const result = tool.input.safeParse(input);
  if (result.success) return { problems: [], parsed: result.data };
  const problems = result.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`);
  return { problems };
}

/** @throws AppError `invalid` with the problem */
export async function parseToolInput(tool: Tool, input: unknown): Promise<unknown> {
  const { problems, parsed } = await problemsOf(tool, input);
  if (problems.length === 0) return parsed;
  throw new AppError("invalid", `The input is not valid: ${problems.join("; ")}`);
}
