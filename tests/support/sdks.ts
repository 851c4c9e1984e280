// Official clients, and the mail server and model server that tests talk to. Tests beside their modules take them from
// here, since the packages belong to the tests' folder.
export { default as Anthropic } from "@anthropic-ai/sdk";
export type { LLMock } from "@copilotkit/aimock";
export { uiMessageChunkSchema } from "ai";
export { default as OpenAI } from "openai";
export { SMTPServer, type SMTPServerOptions } from "smtp-server";
