import { z } from "zod";

const Parameters = z.record(z.string(), z.unknown());
export type Parameters = z.infer<typeof Parameters>;

export const N8nNode = z.object({
  name: z.string().min(1).max(200),
  type: z.string().max(200),
  typeVersion: z.number().catch(1).default(1),
  disabled: z.boolean().catch(false).default(false),
  parameters: Parameters.catch({}).default({}),
});
export type N8nNode = z.infer<typeof N8nNode>;

/** One of n8n's "main" connections; others join a model or a tool to a node. */
const Target = z.object({ node: z.string().max(200), type: z.literal("main").catch("main") });
const Outputs = z.object({ main: z.array(z.array(Target).nullable()).catch([]).default([]) });

const MAX_CONNECTIONS = 1_000;

/** A workflow as n8n exports it. */
export const N8nWorkflow = z.object({
  name: z.string().max(200).catch("").default(""),
  nodes: z.array(N8nNode).max(300, "Import at most 300 nodes"),
  connections: z
    .record(z.string(), Outputs)
    .refine(
      (connections) =>
        Object.values(connections).reduce((sum, { main }) => sum + main.flat().length, 0) <= MAX_CONNECTIONS,
      `Import at most ${MAX_CONNECTIONS.toLocaleString("en-US")} connections`,
    ),
});
export type N8nWorkflow = z.infer<typeof N8nWorkflow>;
