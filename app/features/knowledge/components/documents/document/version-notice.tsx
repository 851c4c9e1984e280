import { Link } from "@remix-run/react";
import { Notice } from "~/ui/notice";

interface VersionNoticeProps {
  /** The version that is searched; absent before the first one is. */
  present: number | undefined;
  /** The one whose text is shown, where the address names one. */
  version: number | undefined;
  /** The one that the address named and that is no longer kept. */
  lost: number | undefined;
  presentTo: string;
}

/** Says that a text isn't the document's current one, or isn't the one a link was made for. */
export function VersionNotice({ present, version, lost, presentTo }: VersionNoticeProps) {
  if (lost !== undefined) {
    return (
      <Notice kind="warning" className="mb-5">
        The cited passage is from version {lost}, which is no longer available. This is the current text,
        which may differ.
      </Notice>
    );
  }
  if (version === undefined || version === present) return null;
  return (
    <Notice kind="warning" className="mb-5">
      This is version {version}. The current version is {present}.{" "}
      <Link to={presentTo} className="underline underline-offset-4">
        Show Current Text
      </Link>
    </Notice>
  );
}
