import { endpoint, endpoints, events } from "~/platform/endpoint/endpoint.shared";
import { EventsQuery } from "./events.schema";
import { authoriseTopics, subscribe } from "./events.service.server";

/** Unread bytes before events are batched. */
const MAX_UNREAD = 64 * 1024;

export const eventsApi = endpoints("System", [
  endpoint({
    method: "GET",
    path: "/api/events",
    summary: "Stream changes",
    description:
      "Server-sent events `{ topic, id?, version }`: the topic, or the object with that id, has changed. " +
      "Get the new state from the object's own endpoint. The stream begins with the version of each topic; with " +
      "`Last-Event-ID`, only of those changed since. Topics you have no access to are omitted. It ends " +
      "when your access changes and after half an hour.",
    access: "signed-in",
    query: EventsQuery,
    produces: "text/event-stream",
    handle: ({ actor, query, headers }) => {
      const topics = authoriseTopics(actor, query.topics);
      const since = headers.get("last-event-id") ?? undefined;
      return events((sink) =>
        subscribe(actor, { topics, since, isBehind: () => sink.unread() > MAX_UNREAD }, (event) =>
          event ? sink.send(JSON.stringify(event), event.version) : sink.close(),
        ),
      );
    },
  }),
]);
