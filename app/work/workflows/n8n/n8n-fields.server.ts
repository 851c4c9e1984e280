import { z } from "zod";
import type { N8nNode } from "./n8n.schema";
import { NoCounterpart, type Resolve, toExpression } from "./n8n-values.server";

const Assignment = z.object({ name: z.string().min(1).max(500), value: z.unknown().optional() });

/** Of n8n's Set since version 3.3. */
const Fields = z.object({ assignments: z.object({ assignments: z.array(Assignment).max(200) }) });

const list = z.array(Assignment).max(200).default([]);
/** Before 3. */
const OldFields = z.object({ values: z.object({ string: list, number: list, boolean: list }) });

export interface SetFields {
  /** Values by name, which may be a path with dots. */
  values: ReadonlyMap<string, string>;
  /** Whether what the node got is kept besides. */
  keepsOthers: boolean;
}

/**
 * The fields of a Set node as expressions. There is no such step here: what reads a field gets its expression.
 * @throws NoCounterpart
 */
export function toFields({ parameters }: N8nNode, resolve: Resolve): SetFields {
  const fields = Fields.safeParse(parameters).data?.assignments.assignments;
  const old = fields ? undefined : OldFields.safeParse(parameters).data?.values;
  if (!fields && !old) throw new NoCounterpart("its fields can't be read");
  const assignments = fields ?? Object.values(old ?? {}).flat();
  return {
    values: new Map(assignments.map(({ name, value }) => [name, toExpression(value, resolve)])),
    keepsOthers: fields ? parameters.includeOtherFields === true : parameters.keepOnlySet !== true,
  };
}
