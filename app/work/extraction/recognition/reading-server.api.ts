import { endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { ReadingTest, RecognitionInput, RecognitionSettings } from "./reading-server.schema";
import { readRecognition, saveRecognition, testReadingServer } from "./reading-server.service.server";

export const recognitionApi = endpoints("Documents", [
  endpoint({
    method: "GET",
    path: "/api/rag/recognition",
    summary: "Get what reads scanned pages",
    access: "settings.manage",
    response: RecognitionSettings,
    handle: ({ actor }) => readRecognition(actor),
  }),
  endpoint({
    method: "PUT",
    path: "/api/rag/recognition",
    summary: "Change what reads scanned pages",
    description:
      "Changes only the fields sent. Naming a server is consent to send it the pictures of scanned pages, of " +
      "restricted documents too.",
    access: "settings.manage",
    body: RecognitionInput,
    response: RecognitionSettings,
    handle: ({ actor, body }) => saveRecognition(actor, body),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/recognition/test",
    summary: "Send a test picture to the server that reads scanned pages",
    description: "409 if no server is chosen.",
    access: "settings.manage",
    response: ReadingTest,
    handle: ({ actor, signal }) => testReadingServer(actor, signal),
  }),
]);
