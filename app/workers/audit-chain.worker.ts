import Database from "better-sqlite3";
import { serve } from "~/core/serve";
import { CHAIN_SQL, type ChainRow, ChainTask, checkRange } from "~/platform/audit/chain.server";

serve(ChainTask, ({ database, key, from, headSeq, limit }) => {
  const raw = new Database(database, { readonly: true, fileMustExist: true, timeout: 2000 });
  try {
    const statement = raw.prepare<[number, number], ChainRow>(CHAIN_SQL);
    return checkRange((afterSeq, count) => statement.all(afterSeq, count), key, from, headSeq, limit);
  } finally {
    raw.close();
  }
});
