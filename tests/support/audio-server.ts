import type { ServerResponse } from "node:http";
import { type MockServer, startMockServer } from "./mock-server";

/** Silence as WAV. @param seconds its length, at 8,000 bytes a second */
export function silentWav(seconds: number): Buffer<ArrayBuffer> {
  const data = Buffer.alloc(seconds * 8000, 0x80);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

export const HEARD = "The red ships arrive on Monday.";
const EXTENSIONS = /\.(?:flac|m4a|mp3|mp4|mpeg|mpga|oga|ogg|wav|webm)$/;
const LONGEST = 4096;

export interface AudioServer extends MockServer {
  /** The forms of transcriptions, with files by name, type and size. */
  forms: Record<string, unknown>[];
  /** Bodies of speech. */
  spoken: Record<string, unknown>[];
}

interface AudioOptions {
  /** What is heard. */
  heard?: (form: Record<string, unknown>) => string;
  /** An answer of another kind, if it is true that it gave one. */
  instead?: (url: string, response: ServerResponse) => boolean;
}

function refuse(response: ServerResponse, status: number, message: string, param: string | null): void {
  const error = { message, type: "invalid_request_error", param, code: null };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
}

/** As OpenAI: Whisper counts seconds, its successors tokens. */
function transcript(form: Record<string, unknown>, text: string): { type: string; body: string } {
  const kind = String(form.response_format ?? "json");
  if (kind === "text") return { type: "text/plain", body: `${text}\n` };
  if (kind === "srt") return { type: "text/plain", body: `1\n00:00:00,000 --> 00:00:09,000\n${text}\n` };
  const isWhisper = form.model === "whisper-1";
  const usage = isWhisper
    ? { type: "duration", seconds: 9 }
    : {
        type: "tokens",
        total_tokens: 160,
        input_tokens: 150,
        output_tokens: 10,
        input_token_details: { text_tokens: 0, audio_tokens: 150 },
      };
  const verbose =
    kind === "verbose_json"
      ? {
          task: "transcribe",
          language: "english",
          duration: 8.47,
          segments: [{ id: 0, start: 0, end: 8.4, text }],
        }
      : {};
  return { type: "application/json", body: JSON.stringify({ text, ...verbose, usage }) };
}

/** Starts a server with OpenAI's audio calls at `/v1`, as strict as OpenAI's. */
export async function startAudioServer({
  heard = () => HEARD,
  instead,
}: AudioOptions = {}): Promise<AudioServer> {
  const forms: AudioServer["forms"] = [];
  const spoken: AudioServer["spoken"] = [];
  const server = await startMockServer(async ({ url = "", headers, bytes, text }, response) => {
    if (instead?.(url, response)) return;
    if (url === "/v1/audio/transcriptions") {
      const sent = new Response(bytes as BodyInit, {
        headers: { "content-type": String(headers["content-type"]) },
      });
      const form: Record<string, unknown> = {};
      for (const [name, value] of (await sent.formData()).entries())
        form[name] =
          typeof value === "string" ? value : { name: value.name, type: value.type, size: value.size };
      forms.push(form);
      const file = form.file as { name: string } | undefined;
      if (!file) return refuse(response, 400, "you must provide a file", "file");
      if (!EXTENSIONS.test(file.name)) return refuse(response, 400, "Unsupported file format bin", "file");
      const { type, body } = transcript(form, heard(form));
      return response.writeHead(200, { "content-type": type }).end(body);
    }
    if (url === "/v1/audio/speech") {
      const body = JSON.parse(text) as Record<string, unknown>;
      spoken.push(body);
      if (typeof body.voice !== "string") return refuse(response, 400, "voice is missing", "voice");
      if (String(body.input).length > LONGEST) return refuse(response, 400, "string too long", "input");
      response.writeHead(200, { "content-type": "audio/wav" });
      const sound = silentWav(1);
      response.write(sound.subarray(0, 1000));
      return response.end(sound.subarray(1000));
    }
    return refuse(response, 404, "Not found", null);
  });
  return { ...server, forms, spoken };
}
