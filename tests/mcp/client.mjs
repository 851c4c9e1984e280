// The client under test of the suite's scenarios for clients: a person who adds the scenario's server to a console by
// its API, signs in where the server wants it, allows its tools, and calls each. Its console is in the environment.

const [address = ""] = process.argv.slice(2);
const {
  CONSOLE_URL = "",
  CONSOLE_COOKIE = "",
  MCP_CONFORMANCE_SCENARIO: scenario = "",
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision = "",
} = process.env;
/** What the scenario gives its client: a registered one, or calls to make. */
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");

/** How often one signs in again for a scope that a call lacks, or where another place signs people in. */
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

const omitNull = (input) => Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));

/** Inputs of calls of a tool: the scenario's, or a value for each parameter. */
function inputsFor({ tools, resources }, { name, inputSchema }) {
  const given = context.toolCalls?.filter((one) => one.name === name) ?? [];
  // Nobody fills in a null.
  if (given.length > 0) return given.map((one) => omitNull(one.arguments));
  if (name === "read_resource") return resources.slice(0, 1).map(({ uri }) => ({ uri }));
  // One scenario has a tool that is sent back another one's schema.
  if (name === "json_schema_echo") return [{ schema: tools[0].inputSchema }];
  const fields = Object.entries(inputSchema?.properties ?? {});
  return [Object.fromEntries(fields.map(([field, schema]) => [field, valueFor(schema)]))];
}

const requestOf = (body) => ({
  headers: { cookie: CONSOLE_COOKIE, origin: CONSOLE_URL, "content-type": "application/json" },
  method: "POST",
  body: JSON.stringify(body),
});

/** In a step of a workflow, where nobody can be asked. */
async function callInStep(server, { name }, input) {
  const config = { tool: `${server.id}.${name}`, input: JSON.stringify(input) };
  return call("POST", "/api/workflows/try-step", { step: { type: "run_tool", name: "Call", config } });
}

/** In a chat with the built-in model, by a person who accepts each question with its defaults. */
async function callInChat(server, { name }, input) {
  const tool = `${server.id}.${name}`;
  await call("PUT", `/api/tools/${tool}/policy`, { policy: "always" });
  const content = `${tool} ${JSON.stringify(input)}`;
  const ask = { model: "quarterdeck-offline", tools: [tool], messages: [{ role: "user", content }] };
  const response = await fetch(`${CONSOLE_URL}/api/ai/chat`, requestOf(ask));
  if (!response.ok) throw new Error(`${tool}: ${response.status} ${await response.text()}`);
  const answers = `${CONSOLE_URL}/api/ai/chat/${response.headers.get("x-conversation-id")}/answers`;
  let error;
  let ran = false;
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      const { type, data, errorText } = JSON.parse(line.slice("data: ".length));
      if (type === "tool-output-available") ran = true;
      if (errorText !== undefined) error = errorText;
      if (type !== "data-tool-question" || data.end) continue;
      const given = (data.fields ?? []).filter((field) => field.default !== undefined);
      const values = Object.fromEntries(given.map((field) => [field.name, field.default]));
      const answer = { questionId: data.id, action: "accept", content: values };
      const taken = await fetch(answers, requestOf(answer));
      if (!taken.ok) throw new Error(`${tool}: ${taken.status} ${await taken.text()}`);
    }
  }
  return { ok: ran && error === undefined, error: error ?? "It wasn't called." };
}

const callTool = /^elicitation-|^sep-2322-/.test(scenario) ? callInChat : callInStep;

/** The client that the scenario registered, with its secret bound to where the scenario signs people in. */
async function registeredClient() {
  const { client_id: clientId } = context;
  if (scenario !== "auth/pre-registration") return {};
  const { origin, pathname } = new URL(address);
  const metadata = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  const [issuer] = (await metadata.json()).authorization_servers;
  const key = await call("POST", "/api/keys", {
    provider: "other",
    alias: `QUARTERDECK_KEY_${revision.replaceAll("-", "")}`,
    origin: issuer,
  });
  return { clientId, clientKeyId: key.id };
}

const title = scenario.replaceAll("/", " ");
let server = await call("POST", "/api/mcp-servers", { title, url: address, ...(await registeredClient()) });
if (server.account && !server.account.connected) server = await signIn(server.id);
for (let count = 0; count < SIGN_INS && /requires a sign-in/.test(server.error ?? ""); count++)
  server = await signIn(server.id);
if (server.error) throw new Error(server.error);
const allowed = server.tools.map(({ name, hash }) => `${name}#${hash}`);
await call("PUT", `/api/mcp-servers/${server.id}/tools`, { allowed });
const failed = [];
for (const tool of server.tools) {
  for (const input of inputsFor(server, tool)) {
    let result = await callTool(server, tool, input);
    for (let count = 0; count < SIGN_INS && /lacks the scope/.test(result.error ?? ""); count++) {
      await signIn(server.id);
      result = await callTool(server, tool, input);
    }
    if (!result.ok) failed.push(`${tool.name}: ${result.error}`);
  }
}
// Each tool is called, whatever becomes of the others.
if (failed.length > 0) throw new Error(failed.join("\n"));
