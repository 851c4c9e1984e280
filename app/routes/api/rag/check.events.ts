import { findRunning, watchCheck } from "~/features/knowledge/retrieval-check.service.server";
import { endpoint, reply, resource } from "~/http/resource.server";
import { eventStream } from "~/http/sse.server";

const route = resource({
  path: "/api/rag/check/events",
  tag: "Retrieval check",
  GET: endpoint({
    summary: "Follow the check that is being made",
    description: "Server-sent events `{ done, total }`, then `[DONE]`. 204 when none is being made.",
    access: "documents.search",
    produces: "text/event-stream",
    handle: ({ actor, context }) => {
      if (!findRunning(actor)) return reply(null, { status: 204 });
      return eventStream(context, (sink) =>
        watchCheck(actor, (run) => {
          if (run) return sink.send(JSON.stringify({ done: run.done, total: run.total }));
          sink.send("[DONE]");
          sink.close();
        }),
      );
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
