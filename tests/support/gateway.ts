import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import Database from "better-sqlite3";
import OpenAI from "openai";
import { startServer, type TestServer } from "./server";

/** Every provider's key; no response may contain it. */
export const PROVIDER_KEY = "sk-value-of-the-key-never-shown";
const ALIAS = "QUARTERDECK_KEY_MOCK";

interface NewProvider {
  provider: string;
  baseUrl: string;
  models: string[];
  displayName?: string;
  api?: "chat" | "responses";
  firstByteTimeout?: number;
  /** Sent to one origin; by default present. */
  key?: boolean;
}

interface UsageRow {
  provider_id: string | null;
  provider_type: string;
  model: string;
  input_tokens: number | null;
  output_tokens: number | null;
  images: number | null;
  estimated: number;
  cost_micros: number | null;
  first_token_ms: number | null;
  duration_ms: number | null;
  outcome: string;
  error_code: string | null;
  source: string;
  token_id: string | null;
  user_id: string;
  route: string | null;
}

/** A console with official clients of its gateway. */
export class Gateway {
  /** Key references by purpose. */
  private readonly keys = new Map<string, string>();

  constructor(
    readonly server: TestServer,
    readonly token: string,
  ) {}

  openai(token = this.token): OpenAI {
    return new OpenAI({ apiKey: token, baseURL: `${this.server.baseUrl}/v1`, maxRetries: 0 });
  }

  anthropic(token = this.token): Anthropic {
    return new Anthropic({ apiKey: token, baseURL: this.server.baseUrl, maxRetries: 0 });
  }

  /** @returns its id */
  async addProvider(input: NewProvider): Promise<string> {
    const { provider, baseUrl, models, displayName = provider, api, firstByteTimeout, key = true } = input;
    const keyId = key ? { keyId: await this.keyFor(provider, new URL(baseUrl).origin) } : {};
    const config = {
      baseUrl,
      models,
      ...keyId,
      ...(api ? { api } : {}),
      ...(firstByteTimeout && { firstByteTimeout }),
    };
    return this.created("/api/providers", { provider, displayName, enabled: true, config });
  }

  private async keyFor(provider: string, origin: string): Promise<string> {
    const kind = provider === "google" ? "gemini" : provider;
    const made =
      this.keys.get(kind) ?? (await this.created("/api/keys", { provider: kind, alias: ALIAS, origin }));
    this.keys.set(kind, made);
    return made;
  }

  async created(path: string, json: unknown): Promise<string> {
    const response = await this.server.ask(path, { as: "owner", json });
    const made = (await response.json()) as { id?: string };
    if (!made.id) throw new Error(`${path}: ${response.status} ${JSON.stringify(made)}`);
    return made.id;
  }

  async newToken(limits: Record<string, unknown>): Promise<string> {
    const response = await this.server.ask("/api/tokens", {
      as: "member",
      json: { name: "limited", ...limits },
    });
    const made = (await response.json()) as { token?: string };
    if (!made.token) throw new Error(`No token: ${JSON.stringify(made)}`);
    return made.token;
  }

  usage(): UsageRow[] {
    const database = new Database(join(this.server.dataDir, "quarterdeck.sqlite"), { readonly: true });
    try {
      return database.prepare<[], UsageRow>("SELECT * FROM usage_records ORDER BY rowid").all();
    } finally {
      database.close();
    }
  }

  async close(): Promise<void> {
    await this.server.close();
  }
}

/**
 * Starts a console for programs.
 *
 * @param ai the organisation's limits: `timeout` in milliseconds, `retryAttempts`
 */
export async function openGateway(ai: Record<string, unknown> = {}): Promise<Gateway> {
  const server = await startServer({ env: { [ALIAS]: PROVIDER_KEY } });
  const database = new Database(join(server.dataDir, "quarterdeck.sqlite"));
  const save = database.prepare(
    "INSERT INTO org_settings (org_id, key, value, updated_at) VALUES (?, ?, ?, ?)",
  );
  save.run("org_test", "ai", JSON.stringify(ai), Date.now());
  database.close();
  return new Gateway(server, await server.createToken("member"));
}
