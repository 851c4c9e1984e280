import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Role } from "~/core/actor";
import { FOLDERS } from "./database";
import { addPeople } from "./people";

/** In ms; generous, as tests share the machine. */
const START_TIMEOUT = 30_000;
/** Vite compiles every module of the server first, beside other tests. */
const SOURCES_START_TIMEOUT = 180_000;
/** Over plain HTTP. */
const SESSION_COOKIE = "qd_session";

interface Options {
  /** Adds a person per role; otherwise setup is open. */
  people?: boolean;
  env?: Record<string, string>;
  /** The build's folder; defaults to this repository. */
  folder?: string;
  /** Serves the sources as `npm run dev` does, in place of the build. */
  fromSources?: boolean;
  /** The program of another version of Node. */
  node?: string | undefined;
}

export interface Ask {
  method?: string;
  /** Uses this role's session. */
  as?: Role;
  token?: string;
  json?: unknown;
  form?: Record<string, string | readonly string[]>;
  body?: BodyInit;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => child.once("exit", () => done()));
}

/** The production build, or the sources, in its own process, data folder and environment. */
export class TestServer {
  baseUrl = "";
  private child: ChildProcess | undefined;
  private printed = "";

  constructor(
    readonly dataDir: string,
    private readonly env: Record<string, string>,
    private readonly sessions: Partial<Record<Role, string>>,
    private readonly folder = process.cwd(),
    private readonly fromSources = false,
    private readonly node = process.execPath,
  ) {}

  get output(): string {
    return this.printed;
  }

  get pid(): number {
    if (this.child?.pid === undefined) throw new Error("The server isn't running.");
    return this.child.pid;
  }

  /** After the first start the port stays the same. */
  async start(): Promise<void> {
    if (!existsSync(join(this.folder, "build/server.mjs")))
      throw new Error("There is no build: run `npm run build` first.");
    const program = this.fromSources ? ["--import", "tsx", "server.ts", "--dev"] : ["build/server.mjs"];
    const child = spawn(this.node, program, {
      cwd: this.folder,
      env: {
        PATH: process.env.PATH ?? "",
        HOME: this.dataDir,
        TZ: "UTC",
        NODE_ENV: this.fromSources ? "development" : "production",
        HOST: "127.0.0.1",
        PORT: this.baseUrl ? new URL(this.baseUrl).port : "0",
        DATA_DIR: this.dataDir,
        LOG_LEVEL: "warn",
        ...this.env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    children.add(child);
    child.once("exit", () => children.delete(child));
    this.printed = "";
    this.baseUrl = await new Promise<string>((ready, failed) => {
      const timer = setTimeout(
        () => stop("It didn't get ready in time."),
        this.fromSources ? SOURCES_START_TIMEOUT : START_TIMEOUT,
      );
      const stop = (why: string) => {
        clearTimeout(timer);
        child.kill("SIGKILL");
        failed(new Error(`The server didn't start. ${why}\n${this.printed}`));
      };
      const read = (chunk: Buffer) => {
        this.printed += chunk.toString();
        const line = /ready at https?:\/\/[^\s:]+(?::(\d+))?/.exec(this.printed);
        // With a public address the port isn't printed: the test sets it.
        const port = this.env.PORT ?? line?.[1];
        if (!line || !port) return;
        clearTimeout(timer);
        ready(`http://127.0.0.1:${port}`);
      };
      child.stdout?.on("data", read);
      child.stderr?.on("data", read);
      child.once("exit", (code, signal) => stop(`It ended with ${signal ?? code}.`));
    });
  }

  /** Like a crash or power loss. */
  async kill(): Promise<void> {
    if (!this.child) return;
    this.child.kill("SIGKILL");
    await gone(this.child);
  }

  /** @returns its exit code */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (!this.child) return null;
    this.child.kill(signal);
    await gone(this.child);
    return this.child.exitCode;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async ask(path: string, options: Ask = {}): Promise<Response> {
    const headers = new Headers(options.headers);
    const { as, token, json, form } = options;
    if (as) headers.set("cookie", this.cookieOf(as));
    if (token) headers.set("authorization", `Bearer ${token}`);
    // As a browser would; tests of the check set their own.
    if (as && !headers.has("origin") && !headers.has("sec-fetch-site")) headers.set("origin", this.baseUrl);
    let body = options.body;
    if (json !== undefined) {
      body = JSON.stringify(json);
      if (!headers.has("content-type")) headers.set("content-type", "application/json");
    } else if (form) {
      body = new URLSearchParams(
        Object.entries(form).flatMap(([name, value]) => [value].flat().map((item) => [name, item])),
      );
    }
    return fetch(new URL(path, this.baseUrl), {
      method: options.method ?? (body === undefined ? "GET" : "POST"),
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
  }

  /** @returns the cookie */
  async signIn(email: string, password: string): Promise<string> {
    const response = await this.ask("/login?local=1", {
      form: { email, password },
      headers: { origin: this.baseUrl },
    });
    const cookie = response.headers
      .getSetCookie()
      .map((line) => line.split(";")[0] ?? "")
      .find((pair) => pair.startsWith(`${SESSION_COOKIE}=`));
    if (!cookie) throw new Error(`${email} couldn't sign in: ${response.status}`);
    return cookie;
  }

  /** Tests that sign out sign in again. */
  cookieOf(role: Role): string {
    const secret = this.sessions[role];
    if (!secret) throw new Error("This server was started without people.");
    return `${SESSION_COOKIE}=${secret}`;
  }

  async createToken(role: Role, scopes?: string[]): Promise<string> {
    const response = await this.ask("/api/tokens", {
      as: role,
      json: { name: `${role} in a test`, ...(scopes ? { scopes } : {}) },
    });
    const made = (await response.json()) as { token?: string };
    if (!made.token) throw new Error(`No token was made: ${response.status} ${JSON.stringify(made)}`);
    return made.token;
  }
}

/** `close()` it at the end. */
export async function startServer(options: Options = {}): Promise<TestServer> {
  const dataDir = mkdtempSync(join(resolve(FOLDERS), "quarterdeck-e2e-"));
  const sessions = options.people === false ? {} : await addPeople(dataDir, options.env?.AUDIT_KEY);
  const { env = {}, folder, fromSources, node } = options;
  const server = new TestServer(dataDir, env, sessions, folder, fromSources, node);
  await server.start();
  return server;
}
