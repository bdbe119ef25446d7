/** Migration programs and ORMs that drop, empty or roll back data, as data. Judges nothing. */
import { type DatabaseTool, REPLACES, RESETS, toolRow, UNDOES } from "./databaseTool";

const ACCEPTS = { why: "This changes the schema even where rows or columns are lost." } as const;
const REBUILDS = {
  why: "This drops and builds again the tables of the models; rows that came in steps are gone.",
} as const;
const MACRO = { why: "A macro of the project runs SQL that cannot be seen." } as const;
/** A script of the project by that name. */
const BY_NAME = {
  why: "Its name says that it drops, empties or resets a database; what it runs cannot be seen.",
} as const;

const DRY = /^(?:-n|--dry-run|--just-print)$/;
const SCRIPTS: readonly string[] = [
  "(?:.*[:_./-])?(?:db|database|databases|migrations?|migrate|prisma|drizzle|typeorm|sequelize|schema)[:_./-](?:.*[:_./-])?(?:drop|reset|wipe|fresh|destroy|nuke|purge|truncate|rollback)(?:[:_./-].*)?",
  "(?:drop|reset|wipe|destroy|nuke|purge|truncate)[:_./-](?:the[:_./-])?(?:db|database|databases|tables?|schema|all-tables)(?:[:_./-].*)?",
  "(?:resetdb|dropdb|wipedb)",
];

export const MIGRATION_TOOLS: readonly DatabaseTool[] = [
  toolRow("prisma", ["migrate reset", "db push --force-reset(?:=true)?", "db drop"], { does: RESETS }),
  toolRow("prisma", ["db push --accept-data-loss(?:=true)?"], { does: ACCEPTS }),
  toolRow(
    "rails|rake",
    [
      "db:(?:drop|reset|purge|schema:load|structure:load|migrate:reset|truncate_all|setup|test:purge|seed:replant)(?::\\w+)?(?:\\[.*\\])?",
    ],
    {
      does: RESETS,
    },
  ),
  toolRow("rails|rake", ["db:(?:rollback|migrate:(?:down|redo))(?::\\w+)?(?:\\[.*\\])?"], { does: UNDOES }),
  toolRow("php|artisan|sail", ["(?:migrate:(?:fresh|reset|refresh)|db:wipe)"], {
    does: RESETS,
    unless: /^--pretend$/,
  }),
  toolRow(
    "php|artisan|sail",
    ["migrate:rollback", "schema:dump --prune", "model:prune", "queue:(?:clear|flush)"],
    {
      does: UNDOES,
      unless: /^--pretend$/,
    },
  ),
  toolRow(
    "php|console|doctrine",
    [
      "(?:doctrine:(?:database|schema|fixtures):(?:drop|load)|d:d:d|d:s:d|d:f:l|dbal:database:drop|orm:schema-tool:drop)",
    ],
    {
      does: RESETS,
      unless: /^(?:--append|--dump-sql)$/,
    },
  ),
  toolRow(
    "php|console|doctrine",
    ["(?:doctrine:schema:update|orm:schema-tool:update) --(?:force|complete)"],
    { does: ACCEPTS },
  ),
  toolRow("alembic|flask", ["downgrade"], { does: UNDOES, unless: /^--sql$/ }),
  toolRow("python[\\d.]*", ["-m (?:alembic|flask) downgrade"], { does: UNDOES, unless: /^--sql$/ }),
  toolRow(
    "python[\\d.]*",
    ["(?:.*[\\\\/])?manage\\.py (?:flush|reset_db|reset_schema)", "-m django (?:flush|reset_db)"],
    { does: RESETS },
  ),
  toolRow("manage\\.py|django-admin", ["(?:flush|reset_db|reset_schema)"], { does: RESETS }),
  toolRow("python[\\d.]*|manage\\.py|django-admin", ["migrate zero"], {
    does: UNDOES,
    unless: /^(?:--plan|--fake|--check)$/,
  }),
  toolRow("aerich|tortoise", ["downgrade"], { does: UNDOES }),
  toolRow("piccolo", ["migrations backwards", "tables drop"], { does: UNDOES }),
  toolRow("yoyo", ["rollback", "reapply"], { does: UNDOES }),
  toolRow("sequelize(?:-cli)?", ["db:drop"], { does: RESETS }),
  toolRow("sequelize(?:-cli)?", ["db:migrate:undo(?::all)?", "db:seed:undo(?::all)?"], { does: UNDOES }),
  toolRow("typeorm(?:-ts-node-(?:commonjs|esm))?", ["schema:drop"], { does: RESETS }),
  toolRow("typeorm(?:-ts-node-(?:commonjs|esm))?", ["migration:revert"], { does: UNDOES }),
  toolRow("typeorm(?:-ts-node-(?:commonjs|esm))?", ["schema:sync"], { does: ACCEPTS }),
  toolRow("knex", ["migrate:(?:rollback|down)"], { does: UNDOES }),
  toolRow("mikro-orm(?:-esm)?", ["schema:(?:drop|fresh)", "migration:fresh", "database:drop"], {
    does: RESETS,
    unless: /^(?:-d|--dump)$/,
  }),
  toolRow("mikro-orm(?:-esm)?", ["migration:down"], { does: UNDOES }),
  toolRow("drizzle-kit", ["push(?::\\w+)?"], { does: ACCEPTS }),
  toolRow("drizzle-kit", ["drop"], { does: { why: "This deletes a migration of the project." } }),
  toolRow("kysely|kysely-ctl", ["migrate:(?:down|rollback)", "migrate (?:down|rollback)"], { does: UNDOES }),
  toolRow(
    "node-pg-migrate|db-migrate|migrate-mongo|umzug|east",
    ["(?:down|reset|redo|undo|db:drop|db:truncate)"],
    { does: UNDOES },
  ),
  toolRow("ace", ["(?:migration:(?:fresh|reset|refresh)|db:(?:wipe|truncate))"], { does: RESETS }),
  toolRow(
    "node",
    ["(?:.*/)?ace(?:\\.js)? (?:migration:(?:fresh|reset|refresh|rollback)|db:(?:wipe|truncate))"],
    { does: RESETS },
  ),
  toolRow("flyway", ["clean"], { does: RESETS }),
  toolRow("flyway", ["undo"], { does: UNDOES }),
  toolRow("mvn|mvnw|gradle|gradlew", ["(?:flyway:clean|flywayClean|liquibase:dropAll|dropAll)"], {
    does: RESETS,
  }),
  toolRow("liquibase", ["drop-?all"], { does: RESETS }),
  toolRow("liquibase", ["rollback(?:-?count|-?to-?date|-?one-?(?:changeset|update))?"], { does: UNDOES }),
  toolRow("mix", ["ecto\\.(?:drop|reset),?"], { does: RESETS }),
  toolRow("mix", ["ecto\\.rollback"], { does: UNDOES }),
  toolRow("diesel", ["(?:database|db) (?:reset|drop)"], { does: RESETS }),
  toolRow("diesel", ["migration (?:revert|redo)"], { does: UNDOES, unless: /^(?:list|pending)$/ }),
  toolRow("sqlx|sqlx-cli|cargo", ["(?:database|db) (?:drop|reset|setup)"], { does: RESETS }),
  toolRow("sqlx|sqlx-cli|cargo", ["(?:migrate|mig) revert"], { does: UNDOES, unless: /^--dry-run$/ }),
  toolRow("sea-orm-cli|sea", ["migrate (?:fresh|refresh|reset)"], { does: RESETS }),
  toolRow("sea-orm-cli|sea", ["migrate down"], { does: UNDOES }),
  toolRow("refinery", ["rollback"], { does: UNDOES }),
  toolRow("dbmate", ["drop"], { does: RESETS }),
  toolRow("dbmate", ["(?:down|rollback)", "load"], { does: UNDOES }),
  toolRow("goose", ["(?:reset|down-to)"], { does: RESETS }),
  toolRow("goose", ["(?:down|redo)"], { does: UNDOES }),
  toolRow("migrate|golang-migrate", ["(?:drop|down)"], { does: UNDOES }),
  toolRow("tern", ["migrate (?:--destination|-d) (?:0|-\\d+|-\\+\\d+)"], { does: UNDOES }),
  toolRow("atlas", ["schema clean"], { does: RESETS, unless: /^--dry-run$/ }),
  toolRow("atlas", ["schema apply --auto-approve"], { does: ACCEPTS, unless: /^--dry-run$/ }),
  toolRow("atlas", ["migrate down"], { does: UNDOES, unless: /^--dry-run$/ }),
  toolRow("skeema", ["push"], { does: ACCEPTS, unless: /^--dry-run$/ }),
  toolRow("sqldef|psqldef|mysqldef|mssqldef|sqlite3def", ["--enable-drop(?:-table)?"], {
    does: ACCEPTS,
    unless: /^--dry-run$/,
  }),
  toolRow("bytebase|graphile-migrate|gm", ["reset"], { does: RESETS }),
  toolRow("sqitch", ["(?:revert|rebase|checkout)"], { does: UNDOES, unless: /^--log-only$/ }),
  toolRow("phinx", ["rollback"], { does: UNDOES, unless: /^--dry-run$/ }),
  toolRow("dotnet|dotnet-ef|ef", ["database drop"], { does: RESETS, unless: /^--dry-run$/ }),
  toolRow("dotnet|dotnet-ef|ef", ["database update 0"], { does: UNDOES }),
  toolRow("wp", ["db (?:reset|clean|drop|import)", "site empty", "search-replace"], {
    does: RESETS,
    unless: /^--dry-run$/,
  }),
  toolRow("drush", ["(?:sql[:-]drop|sql[:-]create|site[:-]install|si|sql-sync|sql:sync)"], { does: RESETS }),
  toolRow("hasura", ["migrate delete", "migrate apply (?:--down|--goto)(?:=.*)?", "(?:md|metadata) clear"], {
    does: UNDOES,
    unless: /^--dry-run$/,
  }),
  toolRow("strapi", ["(?:transfer|import) --force"], { does: REPLACES }),
  toolRow("payload", ["migrate:(?:fresh|reset|refresh|down)"], { does: RESETS }),
  toolRow("directus", ["database migrate:down", "schema apply"], { does: UNDOES, unless: /^--dry-run$/ }),
  toolRow("medusa", ["db:(?:rollback|reset)"], { does: UNDOES }),
  toolRow("dbt", ["(?:run|build|seed|clone|retry) (?:--full-refresh|-f)"], { does: REBUILDS }),
  toolRow("dbt", ["run-operation"], {
    does: MACRO,
    unless: /^(?:generate_|print_|codegen\.|list_|get_|show_)/,
  }),
  toolRow("sqlmesh", ["(?:destroy|invalidate)"], { does: RESETS }),
  toolRow("make|gmake|just|task|rake|composer|invoke|inv|poe|pdm|hatch", SCRIPTS, {
    does: BY_NAME,
    unless: DRY,
  }),
  { ...toolRow("npm|pnpm|yarn|bun|nx|turbo|deno", SCRIPTS, { does: BY_NAME, unless: DRY }), first: true },
];
