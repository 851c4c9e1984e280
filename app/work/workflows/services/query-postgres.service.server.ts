import { isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Client } from "pg";
import { onAbort } from "~/core/abort";
import { openGuardedSocket } from "~/core/egress/index.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { parseWellFormed, wellFormedValue } from "~/core/well-formed";
import type { Json } from "../steps/step-type";
import { type DatabaseQuery, toParameter } from "../workspace/query-workspace.server";
import { WRITE_ACCESS_HINT } from "../workspace/statement-kind";

/** Total response limit, in bytes. */
const MAX_BYTES = 10_000_000;
const LOCK_TIME = 5_000;
const HANDSHAKE_TIME = 10_000;

interface Address {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  tls: boolean;
}

/** @throws AppError `provider_key`, never repeating the connection string */
function readAddress(connectionString: string): Address {
  const refuse = (message: string) => new AppError("provider_key", message);
  if (!URL.canParse(connectionString))
    throw refuse("The connection string is invalid. Use postgres://user:password@host/database.");
  const url = new URL(connectionString);
  if (!/^postgres(?:ql)?:$/.test(url.protocol) || !url.hostname)
    throw refuse("The connection string must begin with postgres:// and name a server.");
  const mode = url.searchParams.get("sslmode") ?? "verify-full";
  if (!["disable", "require", "verify-ca", "verify-full"].includes(mode))
    throw refuse("The connection string's sslmode must be verify-full, verify-ca, require or disable.");
  try {
    const user = decodeURIComponent(url.username);
    return {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port) || 5432,
      user,
      password: decodeURIComponent(url.password),
      database: decodeURIComponent(url.pathname.slice(1)) || user,
      tls: mode !== "disable",
    };
  } catch {
    throw refuse("The connection string is invalid. Use postgres://user:password@host/database.");
  }
}

/** Response to an SSLRequest (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
function requestTls(socket: Socket): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const fail = (error?: Error) => {
      settle();
      reject(error ?? new AppError("provider_unavailable", "The database closed the connection. Try again."));
    };
    const onData = (bytes: Buffer) => {
      settle();
      // More bytes could be injected plain text (CVE-2021-23222).
      if (bytes.length !== 1)
        reject(new AppError("provider_unavailable", "The database sent an invalid response."));
      else resolve(bytes.toString() === "S");
    };
    const onClose = () => fail();
    const settle = () => socket.off("data", onData).off("error", fail).off("close", onClose);
    socket.once("data", onData).once("error", fail).once("close", onClose);
    const request = Buffer.alloc(8);
    request.writeInt32BE(8, 0);
    request.writeInt32BE(80877103, 4);
    socket.write(request);
  });
}

async function secure(socket: Socket, host: string): Promise<TLSSocket> {
  if (!(await requestTls(socket))) {
    const message =
      "The database doesn't support TLS. Add ?sslmode=disable to the connection string to connect without it.";
    throw new AppError("provider_rejected", message, { permanent: true });
  }
  return await new Promise((resolve, reject) => {
    const secured = connectTls({ socket, host, ...(isIP(host) ? {} : { servername: host }) }, () =>
      resolve(secured),
    );
    secured.on("error", reject);
    secured.once("close", () =>
      reject(new AppError("provider_unavailable", "The database closed the connection. Try again.")),
    );
  });
}

/** By type id (pg_type.dat); others stay text. */
function parseValue(type: number, text: string): Json {
  switch (type) {
    case 16: // bool
      return text === "t";
    case 20: // int8
    case 21: // int2
    case 23: // int4
    case 26: // oid
      return Number.isSafeInteger(Number(text)) ? Number(text) : text;
    case 700: // float4
    case 701: // float8
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case 1700: // numeric
      return text.length <= 15 && Number.isFinite(Number(text)) ? Number(text) : text;
    case 114: // json
    case 3802: // jsonb
      return parseWellFormed(text) as Json;
    default:
      return text;
  }
}

const types = { getTypeParser: (type: number) => (text: string) => parseValue(type, text) } as never;

interface Bounds {
  signal: AbortSignal;
  /** Of the statement. */
  timeoutMs: number;
  /** Replaces the step's hint about a refused change. */
  readOnlyHint?: string;
}

/** Explains the server's errors. */
function explain(error: unknown, { timeoutMs, readOnlyHint = WRITE_ACCESS_HINT }: Bounds): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const fail = (as: ConstructorParameters<typeof AppError>[0], message: string, permanent = true) =>
    new AppError(as, message, { cause: error, permanent });
  if (code === "57014")
    return fail("provider_timeout", `The statement took longer than ${timeoutMs / 1000} s.`, false);
  if (code === "25006") return fail("invalid", `This statement changes data. ${readOnlyHint}`);
  if (code.startsWith("28"))
    return fail(
      "provider_key",
      "The database rejected the user name or password. Check the connection string.",
    );
  if (/^(?:08|53|57P)/.test(code)) return fail("provider_unavailable", `PostgreSQL: ${error.message}`, false);
  if (/^[0-9A-Z]{5}$/.test(code)) return fail("invalid", `PostgreSQL: ${error.message}`);
  return fail("provider_unavailable", `The connection to the database failed: ${error.message}`, false);
}

interface QueryResult {
  rows: Json[];
  rowCount: number | null;
}

/** A cursor accepts only queries. */
async function read(
  client: Client,
  { sql, maxRows }: DatabaseQuery,
  values: unknown[],
): Promise<QueryResult> {
  await client.query({ text: `DECLARE step NO SCROLL CURSOR FOR ${sql}`, values, ...extended });
  return await client.query(`FETCH ${maxRows + 1} FROM step`);
}

/** This mode refuses several statements. */
const extended = { queryMode: "extended" } as const;

/** @throws AppError `forbidden` for a superuser, who can read the server's files and run programs there */
async function assertOrdinaryUser(client: Client): Promise<void> {
  if (env().DATABASE_ALLOW_SUPERUSER) return;
  const { rows } = await client.query("SHOW is_superuser");
  if (rows[0]?.is_superuser !== "on") return;
  throw new AppError(
    "forbidden",
    "The database user is a superuser, which can read the server's files. Use an ordinary user, or ask the operator to set DATABASE_ALLOW_SUPERUSER=1.",
  );
}

async function runStatement(client: Client, query: DatabaseQuery, timeoutMs: number): Promise<Json> {
  const { sql, write, maxRows } = query;
  const values = query.parameters.map(toParameter);
  await client.query(
    `BEGIN TRANSACTION ISOLATION LEVEL ${write ? "READ COMMITTED READ WRITE" : "REPEATABLE READ READ ONLY"}`,
  );
  await client.query(`SET LOCAL statement_timeout = ${Math.round(timeoutMs)}`);
  await client.query(`SET LOCAL lock_timeout = ${LOCK_TIME}`);
  await assertOrdinaryUser(client);
  const result: QueryResult = write
    ? await client.query({ text: sql, values, ...extended })
    : await read(client, query, values);
  await client.query(write ? "COMMIT" : "ROLLBACK");
  const rows = wellFormedValue(result.rows.slice(0, maxRows));
  return {
    rows,
    rowCount: write ? (result.rowCount ?? 0) : rows.length,
    truncated: result.rows.length > maxRows,
  };
}

/** Over its own connection. @throws AppError for the user; the signal's reason */
export async function queryPostgres(
  connectionString: string,
  query: DatabaseQuery,
  bounds: Bounds,
): Promise<Json> {
  const { signal, timeoutMs } = bounds;
  const { tls, host, port, ...login } = readAddress(connectionString);
  const { default: pg } = await import("pg");
  const socket = await openGuardedSocket({
    purpose: "workflow:postgres",
    host,
    port,
    allowPrivate: true,
    signal,
  });
  const release = onAbort(signal, () => socket.destroy());
  socket.setTimeout(HANDSHAKE_TIME, () => socket.destroy());
  let tooLarge: AppError | undefined;
  try {
    const stream = tls ? await secure(socket, host) : socket;
    socket.setTimeout(0);
    let received = 0;
    stream.connect = () => {
      stream.on("data", (bytes: Buffer) => {
        received += bytes.length;
        if (received <= MAX_BYTES) return;
        tooLarge = new AppError(
          "too_large",
          "The result is larger than 10 MB. Select fewer rows or columns.",
        );
        stream.destroy();
      });
      process.nextTick(() => stream.emit("connect"));
      return stream;
    };
    const client = new pg.Client({
      ...login,
      host,
      port,
      ssl: false,
      stream: () => stream,
      types,
      connectionTimeoutMillis: HANDSHAKE_TIME,
      application_name: "ai-console",
    });
    client.on("error", () => undefined);
    await client.connect();
    return await runStatement(client, query, timeoutMs);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw tooLarge ?? explain(error, bounds);
  } finally {
    release();
    // Fresh per step, so that server-side state ends.
    socket.destroy();
  }
}
