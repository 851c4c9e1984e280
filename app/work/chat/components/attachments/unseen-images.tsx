import { Button } from "~/ui/button";
import { Notice } from "~/ui/notice";
import { isImage } from "../../attachments/limits.shared";
import type { ChatChoices } from "../../chat-choices.shared";
import type { Attachments } from "./use-attachments";

interface UnseenImagesProps {
  attachments: Pick<Attachments, "items" | "remove">;
  models: ChatChoices["models"];
  model: string;
  onModel: (model: string) => void;
}

/** Keys of images that the model can't read. */
export function unseenImages({ attachments, models, model }: Omit<UnseenImagesProps, "onModel">): string[] {
  if (models.find(({ id }) => id === model)?.sees !== false) return [];
  return attachments.items.flatMap((item) =>
    item.state === "ready" && isImage(item.attachment) ? [item.key] : [],
  );
}

/** Offers another model, or to send no images. */
export function UnseenImages(props: UnseenImagesProps) {
  const { attachments, models, model, onModel } = props;
  const keys = unseenImages(props);
  if (keys.length === 0) return null;
  const name = models.find(({ id }) => id === model)?.name ?? model;
  const other = models.find(({ sees }) => sees);
  return (
    <div role="status">
      <Notice kind="warning" title={`${name} can't read images`}>
        <div className="mt-1 flex flex-wrap gap-2">
          {other && (
            <Button type="button" size="sm" onClick={() => onModel(other.id)}>
              Use {other.name}
            </Button>
          )}
          <Button type="button" size="sm" onClick={() => keys.forEach(attachments.remove)}>
            Remove Images
          </Button>
        </div>
      </Notice>
    </div>
  );
}
