import { stepPath } from "../workflows.shared";
import type { N8nNode } from "./n8n.schema";
import { type SetFields, toFields } from "./n8n-fields.server";
import { type Edge, type N8nGraph, typeOf } from "./n8n-graph";
import { isLoop, type StepParts, toSteps } from "./n8n-steps.server";
import { isTrigger, toTriggers } from "./n8n-triggers.server";
import { memberOf, NoCounterpart, type Resolve } from "./n8n-values.server";

export type Translated =
  | { kind: "trigger"; parts: { type: string; config: Record<string, unknown> }[] }
  | { kind: "steps"; parts: StepParts }
  | { kind: "fields"; fields: SetFields }
  /** Connected around: it does nothing, or isn't imported. */
  | { kind: "none" };

/** Pass on what they get. */
const PASSING = new Set(["if", "switch", "wait", "noOp", "merge"]);
const MAX_DEPTH = 100;
/** Longest expression of the console, in characters. */
const MAX_LENGTH = 4_000;

/** Where the item of a node comes from: its node and output. */
type Source = Pick<Edge, "from" | "output">;

/** Translates the nodes of a workflow, each with those whose values it reads. */
export class N8nTranslation {
  readonly #translated = new Map<string, Translated | "begun">();
  readonly #sources = new Map<string, Source | undefined>();

  /**
   * @param remarks what isn't imported as it was, by node; those that have a remark already aren't translated
   */
  constructor(
    private readonly graph: N8nGraph,
    private readonly ids: ReadonlyMap<string, string>,
    readonly remarks: Map<string, string>,
  ) {}

  translate(name: string): Translated {
    const before = this.#translated.get(name);
    if (before === "begun") return { kind: "none" };
    if (before) return before;
    this.#translated.set(name, "begun");
    const translated = this.#tryToTranslate(name);
    this.#translated.set(name, translated);
    return translated;
  }

  #tryToTranslate(name: string): Translated {
    const node = this.graph.nodes.get(name);
    if (!node || this.remarks.has(name)) return { kind: "none" };
    try {
      return this.#translateNode(node);
    } catch (error) {
      if (!(error instanceof NoCounterpart)) throw error;
      this.remarks.set(name, error.message);
      return { kind: "none" };
    }
  }

  #translateNode(node: N8nNode): Translated {
    const type = typeOf(node);
    if (node.disabled) throw new NoCounterpart("it is switched off");
    if (isTrigger(node)) return { kind: "trigger", parts: toTriggers(node) };
    const resolve: Resolve = (other, path) =>
      other === undefined ? this.#before(node.name, path, 0) : this.#valueOf(this.#named(other), path, 0);
    if (type === "set") return { kind: "fields", fields: toFields(node, resolve) };
    // The step after a Merge waits for all that leads to it.
    if (type === "noOp" || type === "merge") return { kind: "none" };
    if (type === "splitOut" && this.#outgoing(node.name).every(({ to }) => this.#isLoop(to)))
      return { kind: "none" };
    const parts = toSteps(node, resolve, (reason) => this.remarks.set(node.name, reason));
    return { kind: "steps", parts };
  }

  #outgoing = (name: string): readonly Edge[] => this.graph.outgoing.get(name) ?? [];

  #isLoop(name: string): boolean {
    const node = this.graph.nodes.get(name);
    return node !== undefined && isLoop(node);
  }

  #isPassing(name: string): boolean {
    const node = this.graph.nodes.get(name);
    return node !== undefined && PASSING.has(typeOf(node));
  }

  #named(name: string): Source | undefined {
    if (this.#isPassing(name)) return this.#sourceBefore(name);
    const node = this.graph.nodes.get(name);
    return { from: name, output: node && isLoop(node) && node.typeVersion >= 3 ? 1 : 0 };
  }

  /** What a node gets; undefined if it comes from nowhere, or from several. */
  #sourceBefore(name: string): Source | undefined {
    if (this.#sources.has(name)) return this.#sources.get(name);
    this.#sources.set(name, undefined);
    const body = this.#isLoop(name) ? this.#reachable(name) : new Set<string>();
    const sources = (this.graph.incoming.get(name) ?? [])
      .filter(({ from }) => !body.has(from))
      .map((edge) => (this.#isPassing(edge.from) ? this.#sourceBefore(edge.from) : edge));
    const keys = new Set(sources.map((source) => source && this.#keyOf(source)));
    const [only] = keys.size === 1 ? sources : [];
    this.#sources.set(name, only);
    return only;
  }

  /** All triggers have the same name in expressions. */
  #keyOf({ from, output }: Source): string {
    const node = this.graph.nodes.get(from);
    return node && isTrigger(node) ? "" : JSON.stringify([from, output]);
  }

  #reachable(name: string): Set<string> {
    const found = new Set(this.#outgoing(name).map(({ to }) => to));
    for (const one of found) for (const { to } of this.#outgoing(one)) if (to !== name) found.add(to);
    return found;
  }

  #before(name: string, path: readonly string[], depth: number): string {
    const source = this.#sourceBefore(name);
    if (!source) throw new NoCounterpart("it isn't clear which node's values it reads");
    const node = this.graph.nodes.get(source.from);
    if (node && typeOf(node) === "splitOut" && this.#isLoop(name)) {
      const field = node.parameters.fieldToSplitOut;
      if (typeof field !== "string" || field.startsWith("="))
        throw new NoCounterpart("its list can't be read");
      return this.#before(source.from, [...field.split("."), ...path], depth + 1);
    }
    return this.#valueOf(source, path, depth);
  }

  #valueOf(source: Source | undefined, path: readonly string[], depth: number): string {
    const value = source && depth < MAX_DEPTH ? this.#readValue(source, path, depth) : undefined;
    if (value === undefined)
      throw new NoCounterpart(`it reads "${source?.from ?? "?"}", whose values aren't known here`);
    if (value.length > MAX_LENGTH) throw new NoCounterpart("its expressions become too long");
    return value;
  }

  #readValue({ from, output }: Source, path: readonly string[], depth: number): string | undefined {
    const translated = this.translate(from);
    if (translated.kind === "trigger") return memberOf("trigger", path);
    if (translated.kind === "fields") return this.#readField(from, translated.fields, path, depth);
    if (translated.kind !== "steps") return undefined;
    const { type, outputs, path: within } = translated.parts;
    if (type === "each") return outputs[output]?.branch === "each" ? memberOf("item", path) : undefined;
    return memberOf(stepPath(this.ids.get(from) ?? ""), [...within, ...path]);
  }

  #readField(from: string, { values, keepsOthers }: SetFields, path: readonly string[], depth: number) {
    for (let length = path.length; length > 0; length--) {
      const value = values.get(path.slice(0, length).join("."));
      if (value !== undefined) return memberOf(value, path.slice(length));
    }
    return keepsOthers && path.length > 0 ? this.#before(from, path, depth + 1) : undefined;
  }
}
