import OpenAI, { toFile } from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import {
  assert,
  BUSY_MODEL,
  CITY,
  equal,
  GREETING,
  HEARD,
  IMAGE_MODEL,
  LIMITED_MODEL,
  MODEL,
  PIXEL,
  RESPONSES_MODEL,
  runCases,
  SILENCE,
  TOKEN,
  thrownBy,
  V1,
  WEATHER,
} from "./cases.mjs";

const client = new OpenAI({ apiKey: TOKEN, baseURL: V1, maxRetries: 0 });
const ask = (content) => ({ model: MODEL, messages: [{ role: "user", content }] });
const tools = [{ type: "function", function: { name: "look_up", parameters: CITY } }];

await runCases({
  async text() {
    const answer = await client.chat.completions.create(ask("greet"));
    equal(answer.choices[0].message.content, GREETING);
    assert(Number.isInteger(answer.usage.total_tokens) && answer._request_id.startsWith("req_"), answer);
  },
  async stream() {
    const stream = client.chat.completions.stream({
      ...ask("greet"),
      stream_options: { include_usage: true },
    });
    equal(await stream.finalContent(), GREETING);
    assert(Number.isInteger((await stream.totalUsage()).total_tokens));
  },
  async tools() {
    const asked = [];
    const runner = client.chat.completions.runTools({
      ...ask("weather"),
      tools: [
        {
          type: "function",
          function: {
            name: "look_up",
            parameters: CITY,
            parse: JSON.parse,
            function: (input) => {
              asked.push(input);
              return "21";
            },
          },
        },
      ],
    });
    equal(await runner.finalContent(), WEATHER);
    equal(asked, [{ city: "Wien" }]);
    const streamed = client.chat.completions.stream({ ...ask("weather"), tools });
    equal((await streamed.finalMessage()).tool_calls[0].function.name, "look_up");
  },
  async "structured output"() {
    const format = zodResponseFormat(z.object({ name: z.string(), born: z.number() }), "person");
    const answer = await client.chat.completions.parse({ ...ask("as json"), response_format: format });
    equal(answer.choices[0].message.parsed, { name: "Ada", born: 1815 });
  },
  async images() {
    const url = `data:image/png;base64,${PIXEL}`;
    const content = [
      { type: "text", text: "picture" },
      { type: "image_url", image_url: { url } },
    ];
    const answer = await client.chat.completions.create(ask(content));
    equal(answer.choices[0].message.content, "One pixel.");
  },
  async responses() {
    const whole = await client.responses.create({ model: RESPONSES_MODEL, input: "greet", store: false });
    equal(whole.output_text, GREETING);
    const stream = client.responses.stream({ model: RESPONSES_MODEL, input: "greet", store: false });
    equal((await stream.finalResponse()).output_text, GREETING);
  },
  async errors() {
    const stranger = new OpenAI({ apiKey: "qdt_wrong", baseURL: V1, maxRetries: 0 });
    const unknown = await thrownBy(() => stranger.chat.completions.create(ask("greet")));
    assert(unknown instanceof OpenAI.AuthenticationError, unknown);
    const tooLong = await thrownBy(() => client.chat.completions.create(ask("too long")));
    assert(
      tooLong instanceof OpenAI.BadRequestError && /maximum context length/.test(tooLong.message),
      tooLong,
    );
    const limited = await thrownBy(() =>
      client.chat.completions.create({ ...ask("slow down"), model: LIMITED_MODEL }),
    );
    assert(limited instanceof OpenAI.RateLimitError && limited.headers.get("retry-after"), limited);
    const busy = await thrownBy(() =>
      client.chat.completions.create({ ...ask("overloaded"), model: BUSY_MODEL }),
    );
    assert(busy instanceof OpenAI.InternalServerError, busy);
    const missing = await thrownBy(() => client.chat.completions.create({ ...ask("greet"), model: "none" }));
    assert(missing instanceof OpenAI.NotFoundError && missing.code === "model_not_found", missing);
  },
  async abort() {
    const controller = new AbortController();
    const stream = await client.chat.completions.create(
      { ...ask("long story"), stream: true },
      { signal: controller.signal },
    );
    let pieces = 0;
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) pieces += 1;
      if (pieces === 3) controller.abort();
    }
    assert(pieces < 50, pieces);
  },
  async embeddings() {
    const model = "text-embedding-3-small";
    const { data } = await client.embeddings.create({ model, input: "embed me", encoding_format: "float" });
    equal(data[0].embedding, [0.25, -0.5, 1]);
  },
  async "image generation"() {
    const { data, usage } = await client.images.generate({ model: IMAGE_MODEL, prompt: "A red ship" });
    equal([data.length, data[0].b64_json], [1, PIXEL]);
    assert(Number.isInteger(usage.total_tokens), usage);
    const streamed = client.images.generate({ model: IMAGE_MODEL, prompt: "A red ship", stream: true });
    const refused = await thrownBy(() => streamed);
    assert(refused instanceof OpenAI.BadRequestError && refused.param === "stream", refused);
  },
  async audio() {
    const file = await toFile(SILENCE, "voice.wav", { type: "audio/wav" });
    equal((await client.audio.transcriptions.create({ file, model: "whisper-1" })).text, HEARD);
    const srt = { file, model: "whisper-1", response_format: "srt" };
    assert((await client.audio.transcriptions.create(srt)).includes("-->"));
    const speech = await client.audio.speech.create({ model: "tts-1", voice: "alloy", input: "Hello" });
    equal(
      Buffer.from(await speech.arrayBuffer())
        .subarray(0, 4)
        .toString(),
      "RIFF",
    );
  },
  async models() {
    const ids = [];
    for await (const { id } of client.models.list()) ids.push(id);
    assert(ids.includes(MODEL), ids);
    equal((await client.models.retrieve(MODEL)).id, MODEL);
  },
});
