import { endpoint, resource } from "~/http/resource.server";
import { eventStream } from "~/http/sse.server";
import { PersonaTrial } from "~/work/personas/personas.schema";
import { streamTrial } from "~/work/personas/try-persona.service.server";

const route = resource({
  path: "/api/personas/try",
  tag: "Personas",
  POST: endpoint({
    summary: "Ask an unsaved persona one question, and stream the answer",
    description:
      "Events of the chat's stream: `start` with the model, `text-delta`, `error`, `finish`. No tools are called, and " +
      "nothing but the usage is stored.",
    access: "personas.write",
    body: PersonaTrial,
    produces: "text/event-stream",
    handle: ({ actor, body, context }) =>
      eventStream(context, (sink) => {
        const controller = new AbortController();
        void streamTrial(actor, body, controller.signal, (chunk) => sink.send(JSON.stringify(chunk))).then(
          () => {
            sink.send("[DONE]");
            sink.close();
          },
        );
        return () => controller.abort();
      }),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
