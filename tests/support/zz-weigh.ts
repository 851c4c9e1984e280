import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, brotliCompressSync } from "node:zlib";
import { SCREENS } from "/work/wt/look/tests/support/screens";
import { startServer } from "/work/wt/look/tests/support/server";
const server = await startServer();
const only = process.argv[2] ? new RegExp(process.argv[2]) : undefined;
const sizes = new Map<string, number>();
const size = (a: string) => { let s = sizes.get(a); if (s===undefined) { s = gzipSync(readFileSync(join("build/client", a)),{level:9}).length/1024; sizes.set(a,s);} return s; };
try {
for (const [path] of SCREENS.map((s:any)=>Array.isArray(s)?s:[s])) {
  if (only && !only.test(path)) continue;
  const headers = { accept: "text/html" };
  let r = await server.ask(path, { as: "owner", headers });
  const moved = r.headers.get("location"); if (moved) r = await server.ask(moved, { as: "owner", headers });
  const page = await r.text();
  const named = [...new Set([...page.matchAll(/(?:<link rel="modulepreload" href=|\bimport (?:\* as \w+ from )?)"([^"]+)"/g)].map(m=>m[1]))];
  const total = named.reduce((t,a)=>t+size(a!),0);
  console.log(path.padEnd(44), total.toFixed(1), named.length, 'html', (page.length/1024).toFixed(0));
  if (only) for (const a of named) console.log("   ", size(a!).toFixed(1).padStart(6), a);
}
} finally { await server.close(); }
