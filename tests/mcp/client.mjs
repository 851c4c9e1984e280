// The client under test of the suite's scenarios for clients: a person who adds the scenario's server to a console by
// its API, signs in where the server wants it, allows its tools, and calls each. Its console is in the environment.

const [address = ""] = process.argv.slice(2);
const { CONSOLE_URL = "", CONSOLE_COOKIE = "", MCP_CONFORMANCE_SCENARIO: scenario = "" } = process.env;

/** How often one signs in again for a scope that a call lacks. */
const SIGN_INS = 2;

/** @returns {Promise<any>} */
async function call(method, path, body) {
  const response = await fetch(CONSOLE_URL + path, {
    method,
    headers: { cookie: CONSOLE_COOKIE, origin: CONSOLE_URL, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** As a browser: to the scenario's sign-in page, which sends it back to the console. */
async function signIn(id) {
  const { url } = await call("POST", `/api/mcp-servers/${id}/account`);
  const page = await fetch(url, { redirect: "manual" });
  const back = page.headers.get("location") ?? "";
  if (!back.startsWith(CONSOLE_URL)) throw new Error(`The sign-in page led to "${back}" (${page.status}).`);
  const returned = await fetch(back, { headers: { cookie: CONSOLE_COOKIE }, redirect: "manual" });
  await returned.body?.cancel();
  const server = await call("GET", `/api/mcp-servers/${id}`);
  if (!server.account?.connected) throw new Error(`The server isn't connected: ${JSON.stringify(server)}`);
  return server;
}

const valueFor = ({ type }) =>
  ({ integer: 5, number: 5, boolean: true, array: [], object: {} })[type] ?? "text";

async function callTool(server, { name, inputSchema }) {
  const fields = Object.entries(inputSchema?.properties ?? {});
  const input = Object.fromEntries(fields.map(([field, schema]) => [field, valueFor(schema)]));
  const config = { tool: `${server.id}.${name}`, input: JSON.stringify(input) };
  return call("POST", "/api/workflows/try-step", { step: { type: "run_tool", name: "Call", config } });
}

/** The client that the scenario registered, with its secret bound to where the scenario signs people in. */
async function registeredClient() {
  const { client_id: clientId } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
  if (scenario !== "auth/pre-registration") return {};
  const { origin, pathname } = new URL(address);
  const metadata = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  const [issuer] = (await metadata.json()).authorization_servers;
  const key = await call("POST", "/api/keys", {
    provider: "other",
    alias: "QUARTERDECK_KEY_SCENARIO",
    origin: issuer,
  });
  return { clientId, clientKeyId: key.id };
}

const title = scenario.replaceAll("/", " ");
let server = await call("POST", "/api/mcp-servers", { title, url: address, ...(await registeredClient()) });
if (server.account && !server.account.connected) server = await signIn(server.id);
if (server.error) throw new Error(server.error);
const allowed = server.tools.map(({ name, hash }) => `${name}#${hash}`);
await call("PUT", `/api/mcp-servers/${server.id}/tools`, { allowed });
for (const tool of server.tools) {
  let result = await callTool(server, tool);
  for (let count = 0; count < SIGN_INS && /lacks the scope/.test(result.error ?? ""); count++) {
    await signIn(server.id);
    result = await callTool(server, tool);
  }
  if (!result.ok) throw new Error(`${tool.name}: ${result.error}`);
}
