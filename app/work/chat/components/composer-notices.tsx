import { toDisplayText } from "~/core/well-formed";
import { Button } from "~/ui/button";
import { Notice } from "~/ui/notice";
import {
  selectedToolsOff,
  type ToolsLeftOutProps,
  toolsLeftOut,
  type UnseenImagesProps,
  unseenImages,
} from "./composer";

function UnseenImages(props: UnseenImagesProps) {
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

function ToolsLeftOut(props: ToolsLeftOutProps) {
  if (!toolsLeftOut(props)) return null;
  const name = props.models.find(({ id }) => id === props.model)?.name ?? props.model;
  return (
    <p role="status" className="text-muted text-sm">
      {name} takes no tools: the selected ones are left out.
      {props.tools.includes("qdrant.search") && " The documents are searched before it answers."}
    </p>
  );
}

function RefusedTools(props: ToolsLeftOutProps) {
  const name = props.models.find(({ id }) => id === props.model)?.name ?? props.model;
  return selectedToolsOff(props).map((tool) => (
    <p key={tool.name} role="status" className="wrap-anywhere text-muted text-sm">
      {name} refuses the tool {tool.name}: it is left out.
      {tool.reason && (
        <>
          {" "}
          The provider's words: <q>{toDisplayText(tool.reason)}</q>
        </>
      )}
    </p>
  ));
}

/** What the chosen model won't get of a message. */
export function ComposerNotices(props: UnseenImagesProps & ToolsLeftOutProps) {
  return (
    <div data-composer-notices="" className="flex flex-col gap-2 empty:hidden">
      <UnseenImages {...props} />
      <ToolsLeftOut {...props} />
      <RefusedTools {...props} />
    </div>
  );
}
