import type { Guard, StreamedText } from "~/ai/guardrails/guardrails.service.server";
import type { ChatModelPart } from "./language-model";
import type { PartReader } from "./model-stream.server";

const KIND_OF = {
  "text-delta": "text",
  "reasoning-delta": "thought",
  "tool-input-delta": "json",
} as const;

const DELTA_OF = { text: "text-delta", thought: "reasoning-delta", json: "tool-input-delta" } as const;

interface Open {
  kind: keyof typeof DELTA_OF;
  id: string;
  text: StreamedText;
}

/** The parts of an answer, checked by the guardrails as they come. */
export class GuardedReader implements Pick<PartReader, "read" | "cancel"> {
  readonly #open = new Map<string, Open>();
  readonly #ready: ChatModelPart[] = [];

  constructor(
    private readonly reader: PartReader,
    private readonly guard: Guard,
  ) {}

  /** @throws GuardrailRefusal; as `PartReader` */
  async read(): Promise<ChatModelPart | undefined> {
    while (this.#ready.length === 0) {
      const part = await this.reader.read();
      if (!part) return undefined;
      await this.#take(part);
    }
    return this.#ready.shift();
  }

  cancel(reason?: unknown): Promise<void> {
    return this.reader.cancel(reason);
  }

  async #take(part: ChatModelPart): Promise<void> {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta":
      case "tool-input-delta": {
        const kind = KIND_OF[part.type];
        const key = `${kind} ${part.id}`;
        const open = this.#open.get(key) ?? { kind, id: part.id, text: this.guard.stream(kind) };
        this.#open.set(key, open);
        const delta = await open.text.push(part.delta);
        // A provider's data about an empty part, such as a signature, is passed on too.
        if (delta !== "" || part.delta === "" || part.providerMetadata) this.#ready.push({ ...part, delta });
        return;
      }
      case "text-end":
        await this.#end(`text ${part.id}`);
        break;
      case "reasoning-end":
        await this.#end(`thought ${part.id}`);
        break;
      case "tool-input-end":
        await this.#end(`json ${part.id}`);
        break;
      case "tool-call": {
        const { arguments: input } = await this.guard.answer({ arguments: part.input });
        this.#ready.push({ ...part, input });
        return;
      }
      case "source":
      case "tool-result":
        this.#ready.push(await this.guard.answer(part));
        return;
      case "finish":
        for (const key of [...this.#open.keys()]) await this.#end(key);
    }
    this.#ready.push(part);
  }

  async #end(key: string): Promise<void> {
    const open = this.#open.get(key);
    if (!open) return;
    this.#open.delete(key);
    const { id, kind } = open;
    const delta = await open.text.end();
    if (delta !== "") this.#ready.push({ type: DELTA_OF[kind], id, delta });
  }
}
