/** The rules' whole verdict on one text, wherever it is read: in this thread or in one for long texts. Knows no call. */
import { classifySql, type SqlVerdict } from "../sql/classify";
import { refuseInnerDrop } from "../sql/innerText";

/** `dialects` as a caller names them; none = every one. */
export function readSql(text: string, dialects: readonly string[]): SqlVerdict {
  return refuseInnerDrop(classifySql(text, { dialect: dialects }), text);
}
