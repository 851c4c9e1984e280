import { Link } from "@remix-run/react";
import { Notice } from "~/ui/notice";

interface VersionNoticeProps {
  present: number | undefined;
  version: number | undefined;
  lost: number | undefined;
  presentTo: string;
}

/** Says that a text isn't the current one, or isn't the one that was cited. */
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
