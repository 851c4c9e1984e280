import { request } from "node:http";
import { basename, join } from "node:path";
import { z } from "zod";
import { runInBackground } from "./background.server";
import { now } from "./clock.server";
import { dataDir, env } from "./env.server";
import { recordReplicaProblem } from "./storage-faults.server";
import { parseWellFormed } from "./well-formed";

// Litestream sends the database elsewhere while it is written. It tells the console on a socket in the data folder how far
// it is: the console itself can't know what its replica has.

const SOCKET = "litestream.sock";
const DATABASE = "quarterdeck.sqlite";
/** In ms. It syncs once a second, and more rarely after an error. */
const BEHIND_AFTER = 60_000;
const POLL_EVERY = 10_000;
const TIMEOUT = 3000;
/** An answer of a few databases takes some hundred bytes. */
const MAX_ANSWER = 100_000;
/** Age in ms up to which a state is taken as it is. */
const FRESH = 1000;

const Answer = z.object({
  databases: z.array(
    z.object({
      path: z.string(),
      status: z.string(),
      last_sync_at: z.iso.datetime({ offset: true }).optional(),
    }),
  ),
});

export interface Replica {
  /** `behind` for longer than a minute; `unknown` if Litestream doesn't answer. */
  state: "ok" | "behind" | "unknown";
  url: string;
  /** The last time at which all that was committed had arrived, in ms since the epoch. */
  lastSuccessAt: number | null;
  /** In ms. */
  lagMs: number | null;
}

function askLitestream(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path: "/list", timeout: TIMEOUT }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
        if (text.length > MAX_ANSWER) call.destroy(new Error("The answer is too long."));
      });
      response.on("end", () => resolve(text));
      response.on("error", reject);
    });
    call.on("timeout", () => call.destroy(new Error("Litestream doesn't answer.")));
    call.on("error", reject);
    call.end();
  });
}

interface Known {
  at: number;
  replica: Replica;
}
let known: Known | undefined;
let asking: Promise<Replica> | undefined;

/** What admins have to know of the replica; undefined if it follows. */
function describeProblem({ state, lastSuccessAt }: Replica): string | undefined {
  if (state === "ok") return undefined;
  const last =
    lastSuccessAt === null ? "" : ` The last success was at ${new Date(lastSuccessAt).toISOString()}.`;
  const what =
    state === "unknown"
      ? "Litestream doesn't answer, so it isn't known whether the database is still replicated."
      : "Litestream can't send the database to its target.";
  return `${what}${last} See Litestream's log.`;
}

async function ask(url: string): Promise<Replica> {
  const before = known?.replica.url === url ? known.replica.lastSuccessAt : null;
  let replica: Replica = { state: "unknown", url, lastSuccessAt: before, lagMs: null };
  try {
    const { databases } = Answer.parse(parseWellFormed(await askLitestream(join(dataDir(), SOCKET))));
    const main = databases.find(({ path }) => basename(path) === DATABASE);
    if (main) {
      const lastSuccessAt = main.last_sync_at ? Date.parse(main.last_sync_at) : before;
      const lagMs = lastSuccessAt === null ? null : Math.max(0, now() - lastSuccessAt);
      // Before its first success it has as long as after any other one.
      const wait = lagMs ?? process.uptime() * 1000;
      const isBehind = main.status !== "replicating" || wait > BEHIND_AFTER;
      replica = { state: isBehind ? "behind" : "ok", url, lastSuccessAt, lagMs };
    }
  } catch {
    // Its state says that Litestream doesn't answer.
  }
  known = { at: now(), replica };
  recordReplicaProblem(describeProblem(replica));
  return replica;
}

/** @returns undefined without LITESTREAM_URL */
export async function readReplica(): Promise<Replica | undefined> {
  const url = env().LITESTREAM_URL;
  if (!url) return undefined;
  if (known?.replica.url === url && Math.abs(now() - known.at) < FRESH) return known.replica;
  asking ??= ask(url).finally(() => {
    asking = undefined;
  });
  return asking;
}

/** Looks at the replica every ten seconds, so that screens can say what is wrong with it. @returns a stop function */
export function watchReplica(each: () => void): () => void {
  if (!env().LITESTREAM_URL) return () => undefined;
  const look = () =>
    runInBackground("the look at the replica", async () => {
      each();
      await readReplica();
    });
  look();
  const timer = setInterval(look, POLL_EVERY);
  timer.unref();
  return () => {
    clearInterval(timer);
    known = undefined;
    recordReplicaProblem(undefined);
  };
}
