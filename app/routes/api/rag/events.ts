import { watchKnowledge } from "~/features/knowledge/watch.service.server";
import { endpoint, resource } from "~/http/resource.server";
import { eventStream } from "~/http/sse.server";

const route = resource({
  path: "/api/rag/events",
  tag: "Documents",
  GET: endpoint({
    summary: "Documents as they change",
    description:
      "Server-sent events, each with the `documents` that changed, the ids of those `removed`, whether lists show " +
      "something else (`listed`), the collection's `stats`, and where it has changed how documents are searched " +
      "(`status`); a few a second at most, none while nothing happens.",
    access: "screens.read",
    produces: "text/event-stream",
    handle: ({ actor, context }) =>
      eventStream(context, (sink) =>
        watchKnowledge(actor, (event) => (event ? sink.send(JSON.stringify(event)) : sink.close())),
      ),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
