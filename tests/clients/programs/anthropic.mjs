import Anthropic from "@anthropic-ai/sdk";
import {
  assert,
  BUSY_MODEL,
  CITY,
  CONSOLE,
  equal,
  GREETING,
  LIMITED_MODEL,
  MESSAGES_MODEL,
  PIXEL,
  runCases,
  TOKEN,
  thrownBy,
  WEATHER,
} from "./cases.mjs";

const client = new Anthropic({ apiKey: TOKEN, baseURL: CONSOLE, maxRetries: 0 });
const ask = (content) => ({
  model: MESSAGES_MODEL,
  max_tokens: 1000,
  messages: [{ role: "user", content }],
});

await runCases({
  async text() {
    const answer = await client.messages.create(ask("greet"));
    equal(answer.content[0].text, GREETING);
    equal(answer.stop_reason, "end_turn");
    assert(Number.isInteger(answer.usage.output_tokens) && answer._request_id.startsWith("req_"), answer);
  },
  async stream() {
    const stream = client.messages.stream(ask("greet"));
    equal(await stream.finalText(), GREETING);
    equal((await stream.finalMessage()).stop_reason, "end_turn");
  },
  async tools() {
    const asked = [];
    const answer = await client.beta.messages.toolRunner({
      ...ask("weather"),
      // The scripted provider holds no threads and doesn't say so; the console itself refuses them.
      ...(MESSAGES_MODEL.startsWith("claude") ? { thread: false } : {}),
      tools: [
        {
          type: "custom",
          name: "look_up",
          input_schema: CITY,
          parse: (input) => input,
          run: async (input) => {
            asked.push(input);
            return "21";
          },
        },
      ],
    });
    equal(answer.content.at(-1).text, WEATHER);
    equal(asked, [{ city: "Wien" }]);
  },
  async "structured output"() {
    const schema = {
      type: "object",
      properties: { name: { type: "string" }, born: { type: "number" } },
      required: ["name", "born"],
      additionalProperties: false,
    };
    const answer = await client.messages.create({
      ...ask("as json"),
      output_config: { format: { type: "json_schema", schema } },
    });
    equal(JSON.parse(answer.content[0].text), { name: "Ada", born: 1815 });
  },
  async images() {
    const source = { type: "base64", media_type: "image/png", data: PIXEL };
    const answer = await client.messages.create(
      ask([
        { type: "image", source },
        { type: "text", text: "picture" },
      ]),
    );
    equal(answer.content[0].text, "One pixel.");
  },
  async errors() {
    const stranger = new Anthropic({ apiKey: "qdt_wrong", baseURL: CONSOLE, maxRetries: 0 });
    const unknown = await thrownBy(() => stranger.messages.create(ask("greet")));
    assert(unknown instanceof Anthropic.AuthenticationError, unknown);
    const tooLong = await thrownBy(() => client.messages.create(ask("too long")));
    assert(
      tooLong instanceof Anthropic.BadRequestError && /maximum context length/.test(tooLong.message),
      tooLong,
    );
    const limited = await thrownBy(() =>
      client.messages.create({ ...ask("slow down"), model: LIMITED_MODEL }),
    );
    assert(limited instanceof Anthropic.RateLimitError && limited.headers.get("retry-after"), limited);
    const busy = await thrownBy(() => client.messages.create({ ...ask("overloaded"), model: BUSY_MODEL }));
    assert(busy.status >= 500, busy);
    const missing = await thrownBy(() => client.messages.create({ ...ask("greet"), model: "none" }));
    assert(missing instanceof Anthropic.NotFoundError && missing.requestID.startsWith("req_"), missing);
  },
  async abort() {
    const stream = client.messages.stream(ask("long story"));
    let pieces = 0;
    stream.on("text", () => {
      pieces += 1;
      if (pieces === 3) stream.abort();
    });
    const stopped = await thrownBy(() => stream.done());
    assert(stopped instanceof Anthropic.APIUserAbortError && pieces < 50, { stopped, pieces });
  },
  async models() {
    const ids = [];
    for await (const { id, type } of client.models.list()) if (type === "model") ids.push(id);
    assert(ids.includes(MESSAGES_MODEL), ids);
    equal((await client.models.retrieve(MESSAGES_MODEL)).id, MESSAGES_MODEL);
  },
  async "token counts"() {
    const { max_tokens: _, ...counted } = ask("greet ".repeat(100));
    assert((await client.messages.countTokens(counted)).input_tokens > 0);
  },
});
