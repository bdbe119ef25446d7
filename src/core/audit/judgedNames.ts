/** Names of arguments by which calls are judged and records are read: hidden, they leave a log that tells nothing. Hides nothing itself. */
import { secretKeys } from "./secretKeys";

const JUDGED = `
  sql query queries statement statements stmt ddl dml raw_query query_text query_string
  command cmd commands command_line shell_command script argv args chars input text code expression program
  path paths file files file_path file_name filename directory dir folder source destination src dst old_path new_path
  target target_file notebook_path output_path uri url urls href host endpoint method headers body request
  content contents new_string old_string edits replacements patch diff insert_text file_text data
  tool tool_name name action operation arguments params parameters
  _args decision by reason choice scope sentence digest profile
`
  .trim()
  .split(/\s+/);

/** `key`: as in `audit.redact`, in any spelling. */
export function hidesJudged(key: string): boolean {
  const { isSecret } = secretKeys([key]);
  return JUDGED.some((name) => isSecret(name, "x"));
}
