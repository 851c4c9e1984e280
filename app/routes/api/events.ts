import { endpoint, resource } from "~/http/resource.server";
import { eventStream } from "~/http/sse.server";
import { EventsQuery } from "~/platform/events/events.schema";
import { authoriseTopics, subscribe } from "~/platform/events/events.service.server";

/** Unread bytes before events are batched. */
const MAX_UNREAD = 64 * 1024;

const route = resource({
  path: "/api/events",
  tag: "System",
  GET: endpoint({
    summary: "Stream changes",
    description:
      "Server-sent events `{ topic, id?, version }`: the topic, or the object with that id, has changed. " +
      "Get the new state from the object's own endpoint. The stream begins with the version of each topic; with " +
      "`Last-Event-ID`, only of those changed since. Topics you have no access to are omitted. It ends " +
      "when your access changes and after half an hour.",
    access: "signed-in",
    query: EventsQuery,
    produces: "text/event-stream",
    handle: ({ actor, query, request, context }) => {
      const topics = authoriseTopics(actor, query.topics);
      const since = request.headers.get("last-event-id") ?? undefined;
      return eventStream(context, (sink) =>
        subscribe(actor, { topics, since, isBehind: () => context.waiting() > MAX_UNREAD }, (event) =>
          event ? sink.send(JSON.stringify(event), event.version) : sink.close(),
        ),
      );
    },
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
