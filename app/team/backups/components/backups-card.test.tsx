import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import { BackupsCard } from "./backups-card";

type Props = Parameters<typeof BackupsCard>[0];

const show = (props: Partial<Props>) =>
  rendered(
    <BackupsCard
      backups={[]}
      active={null}
      progress={null}
      outcome={null}
      mayManage
      dialogTo={(dialog) => `?dialog=${dialog}`}
      {...props}
    />,
  );
const at = "2026-11-27T09:00:00.000Z";

it.each([
  [true, "The database was checked: no problems."],
  [false, "The restore failed: the archive is damaged."],
])("says how the last work ended (ok: %s) until other work begins", async (ok, message) => {
  const outcome = { work: "check", ok, at, message } as const;
  const ended = await show({ outcome });
  expect(ended.text).toContain(message);
  const alert = ended.document.querySelector('[role="alert"]')?.textContent ?? "";
  expect(alert.includes(message), "only a failure is announced").toBe(!ok);
  const active = await show({ outcome, active: "create", progress: { done: 1_000_000, total: 2_000_000 } });
  expect(active.text).toContain("A backup is being written. 1.0 MB of 2.0 MB compressed.");
  expect(active.text, "a former result isn't that of what runs").not.toContain(message);
});

it("keeps backups and their buttons from those who may not manage them", async () => {
  const admin = await show({ backups: null, mayManage: false });
  expect(admin.text).toContain("Only owners see the backups.");
  expect(admin.text).not.toMatch(/Back Up Now|Upload Backup|Compact Database/);
  const backups = [{ name: "a.tar.gz", kind: "before-restore", bytes: 2_000_000, createdAt: at } as const];
  const owner = await show({ backups });
  expect(owner.text).toMatch(/a\.tar\.gz.*Before a restore.*2\.0 MB/);
  expect(owner.text).toMatch(/Upload Backup.*Back Up Now.*Check Database.*Compact Database/);
});
