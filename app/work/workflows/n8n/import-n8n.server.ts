import { clip } from "~/core/well-formed";
import type { Connection, WorkflowInput } from "../workflows.schema";
import type { N8nWorkflow } from "./n8n.schema";
import { type Edge, type N8nGraph, toN8nGraph, typeOf } from "./n8n-graph";
import { isTrigger } from "./n8n-triggers.server";
import { N8nTranslation } from "./translate-n8n.server";

const MAX_DESCRIPTION = 2_000;
const MAX_CONNECTIONS = 400;

/** Ids by node, from their names. */
function idsOf({ nodes }: N8nGraph): Map<string, string> {
  const ids = new Map<string, string>();
  const used = new Set<string>();
  for (const name of nodes.keys()) {
    const base =
      name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "_")
        .replace(/^[^a-z]+|_+$/g, "")
        .slice(0, 40) || "step";
    let id = base;
    for (let n = 2; used.has(id); n++) id = `${base}_${n}`;
    used.add(id);
    ids.set(name, id);
  }
  return ids;
}

/** Nodes that n8n would never run: no trigger leads to them. A piece without triggers begins at its first nodes. */
function unreachedOf({ nodes, incoming, outgoing }: N8nGraph): string[] {
  const all = [...nodes.values()];
  const triggers = all.filter((node) => isTrigger(node) || /trigger$/i.test(typeOf(node)));
  const first = triggers.length > 0 ? triggers : all.filter(({ name }) => !incoming.has(name));
  const reached = new Set(first.map(({ name }) => name));
  for (const name of reached) for (const { to } of outgoing.get(name) ?? []) reached.add(to);
  return all.filter(({ name }) => !reached.has(name)).map(({ name }) => name);
}

/** An id for each of a node's parts. */
const partId = (id: string, part: number) => (part === 0 ? id : `${id}_rule_${part + 1}`);

class Definition {
  readonly triggers: NonNullable<WorkflowInput["triggers"]> = [];
  readonly steps: NonNullable<WorkflowInput["steps"]> = [];
  /** The node of each part, by its path in the definition. */
  readonly nodeOf = new Map<string, string>();
  readonly #connections = new Map<string, Connection>();

  constructor(
    private readonly graph: N8nGraph,
    private readonly ids: ReadonlyMap<string, string>,
    private readonly translation: N8nTranslation,
  ) {
    for (const name of graph.nodes.keys()) this.#add(name);
  }

  #idOf = (name: string): string => this.ids.get(name) ?? "";

  #add(name: string): void {
    const translated = this.translation.translate(name);
    const id = this.#idOf(name);
    const outgoing = this.graph.outgoing.get(name) ?? [];
    if (translated.kind === "trigger")
      for (const [part, trigger] of translated.parts.entries()) {
        this.nodeOf.set(`triggers.${this.triggers.length}`, name);
        this.triggers.push({ ...trigger, id: partId(id, part) });
        for (const edge of outgoing) this.#connect(partId(id, part), edge);
      }
    if (translated.kind !== "steps") return;
    const { type, configs, outputs } = translated.parts;
    for (const [part, config] of configs.entries()) {
      this.nodeOf.set(`steps.${this.steps.length}`, name);
      this.steps.push({ id: partId(id, part), type, name: clip(name, 80), config });
      if (part > 0)
        this.#addConnection({ from: partId(id, part - 1), to: partId(id, part), branch: "false" });
    }
    for (const edge of outgoing) {
      const { step = 0, branch } = outputs[edge.output] ?? {};
      if (outputs[edge.output]) this.#connect(partId(id, step), edge, branch);
    }
  }

  #connect(from: string, { to }: Edge, branch?: string): void {
    for (const id of this.#stepsAt(to)) this.#addConnection({ from, to: id, ...(branch ? { branch } : {}) });
  }

  #addConnection(connection: Connection): void {
    // One more than a workflow takes is refused; nodes that are connected around could multiply them.
    if (this.#connections.size <= MAX_CONNECTIONS)
      this.#connections.set(JSON.stringify(connection), connection);
  }

  /** The node's step, or the next ones if it has none. */
  #stepsAt(name: string): Set<string> {
    const found = new Set<string>();
    const waiting = new Set([name]);
    for (const one of waiting)
      if (this.translation.translate(one).kind === "steps") found.add(this.#idOf(one));
      else for (const { to } of this.graph.outgoing.get(one) ?? []) waiting.add(to);
    return found;
  }

  /** Without the ways back to a loop: here its end is where its steps end. */
  get connections(): Connection[] {
    const all = [...this.#connections.values()];
    const loops = new Set(this.steps.filter(({ type }) => type === "each").map(({ id }) => id));
    const after = (id: string) => {
      const found = new Set([id]);
      for (const one of found) for (const { from, to } of all) if (from === one) found.add(to);
      return found;
    };
    const bodies = new Map([...loops].map((id) => [id, after(id ?? "")]));
    return all.filter(({ from, to }) => !bodies.get(to)?.has(from));
  }
}

function describe(file: N8nWorkflow, remarks: ReadonlyMap<string, string>): string {
  const types = new Map(file.nodes.map((node) => [node.name, typeOf(node)]));
  const lines = [...remarks].map(([name, reason]) => `${name} (${types.get(name)}): ${reason}.`);
  const list = lines.length === 0 ? "" : ` These nodes aren't imported, or need work:\n${lines.join("\n")}`;
  return clip(`Imported from n8n.${list}`, MAX_DESCRIPTION);
}

export const isN8n = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "nodes" in value &&
  "connections" in value &&
  !Array.isArray(value.connections);

interface ImportedN8n {
  input: Record<string, unknown>;
  /** What isn't imported as it was. */
  remarks: string[];
  /** The node that a problem is about, by the path of its field, such as `steps.0.config.url`. */
  nodeAt(path: string): string | undefined;
}

/**
 * Translates a workflow of n8n. Nodes without a counterpart are connected around, and listed in the description.
 * @param refused nodes that turned out to be invalid here, with the reasons
 */
export function fromN8n(file: N8nWorkflow, refused: ReadonlyMap<string, string>): ImportedN8n {
  const graph = toN8nGraph(file);
  const ids = idsOf(graph);
  const remarks = new Map(refused);
  const translation = new N8nTranslation(graph, ids, remarks);
  const unreached = unreachedOf(graph);
  for (const name of unreached) if (!remarks.has(name)) remarks.set(name, "no trigger leads to it");
  const definition = new Definition(graph, ids, translation);
  const { triggers, steps, connections, nodeOf } = definition;
  return {
    input: {
      name: clip(file.name.trim(), 120) || "Imported workflow",
      description: describe(file, remarks),
      triggers,
      steps,
      connections,
    },
    remarks: [...remarks.keys()],
    nodeAt: (path) => nodeOf.get(path.split(".").slice(0, 2).join(".")),
  };
}
