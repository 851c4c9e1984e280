import { Info } from "lucide-react";
import { countOf } from "~/ui/format";
import type { ChatMessage } from "../../chat.schema";

export function LeftOutImages({ message: { metrics } }: { message: Pick<ChatMessage, "metrics"> }) {
  const count = metrics?.imagesLeftOut;
  if (!count) return null;
  return (
    <p className="flex items-start gap-1.5 text-muted text-xs">
      <Info aria-hidden="true" className="mt-px size-3.5 shrink-0" />
      {countOf(count, "earlier image")} not sent to the model: only the newest are sent, and only to models
      that read images.
    </p>
  );
}
