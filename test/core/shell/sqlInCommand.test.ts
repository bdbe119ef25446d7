import { describe, expect, test } from "vitest";
import type { Shell } from "../../../src/core/call";
import { sqlInCommand } from "../../../src/core/shell/sqlInCommand";

const found = (text: string, shell: Shell = "bash") =>
  sqlInCommand(text, shell).map((one) =>
    one.dynamic ? `${one.client}/${one.dialect}!:` : `${one.client}/${one.dialect}: ${one.text}`,
  );

describe("SQL given to a client is found", () => {
  const rows: [string, string[]][] = [
    [`psql -c "DROP TABLE x"`, ["psql/postgres: DROP TABLE x"]],
    [`psql -Atc 'SELECT 1' db`, ["psql/postgres: SELECT 1"]],
    [`psql -U u -h h --command='DROP TABLE x' db`, ["psql/postgres: DROP TABLE x"]],
    [`psql --comm 'DROP TABLE x'`, ["psql/postgres: DROP TABLE x"]],
    [`psql "$DATABASE_URL" -c 'SELECT 1'`, ["psql/postgres: SELECT 1"]],
    [`psql $DATABASE_URL -c 'SELECT 1'`, ["psql/postgres: SELECT 1"]],
    [`PGPASSWORD=x /usr/bin/psql -cSELECT\\ 1`, ["psql/postgres: SELECT 1"]],
    [`psql db <<EOF\nDROP TABLE x;\nEOF`, ["psql/postgres: DROP TABLE x;\n"]],
    [`psql db <<< "DROP TABLE x"`, ["psql/postgres: DROP TABLE x"]],
    [`echo "DROP TABLE x" | psql db`, ["psql/postgres: DROP TABLE x"]],
    [`printf 'DROP TABLE %s;\\n' x y | psql`, ["psql/postgres: DROP TABLE x;\nDROP TABLE y;\n"]],
    [`cat <<'EOF' | psql\nDROP TABLE x\nEOF`, ["psql/postgres: DROP TABLE x\n"]],
    [`(echo "DROP TABLE x") | cat | psql`, ["psql/postgres!:"]],
    [`sudo -u postgres psql -c "DROP TABLE x"`, ["psql/postgres: DROP TABLE x"]],
    [`docker exec -i pg psql -U u -c "DROP TABLE x"`, ["psql/postgres: DROP TABLE x"]],
    [`docker exec pg sh -c 'psql -c "DROP TABLE x"'`, ["psql/postgres: DROP TABLE x"]],
    [`docker --unknown v exec pg psql -c "DROP TABLE x"`, ["psql/postgres: DROP TABLE x"]],
    [`ssh host 'psql -c "DROP TABLE x"'`, ["psql/postgres: DROP TABLE x"]],
    [`bash -c "psql -c 'DROP TABLE x'"`, ["psql/postgres: DROP TABLE x"]],
    [`mysql -u root -psecret -e "DROP TABLE x" db`, ["mysql/mysql: DROP TABLE x"]],
    [`mysql -Ne"DROP TABLE x"`, ["mysql/mysql: DROP TABLE x"]],
    [`mariadb --execute 'DROP TABLE x'`, ["mariadb/mariadb: DROP TABLE x"]],
    [`sqlite3 a.db "DROP TABLE x" "SELECT 1"`, ["sqlite3/sqlite: DROP TABLE x", "sqlite3/sqlite: SELECT 1"]],
    [`sqlite3 -header -csv a.db 'SELECT 1'`, ["sqlite3/sqlite: SELECT 1"]],
    [`sqlite3 -cmd 'DROP TABLE x' a.db`, ["sqlite3/sqlite: DROP TABLE x"]],
    [`{sqlite3,a.db,"DROP TABLE x"}`, ["sqlite3/sqlite: DROP TABLE x"]],
    [`sq""lite3 a.db "DR""OP TABLE x"`, ["sqlite3/sqlite: DROP TABLE x"]],
    [`sqlcmd -S s -Q "DROP TABLE x"`, ["sqlcmd/tsql: DROP TABLE x"]],
    [`bq query --use_legacy_sql=false 'DROP TABLE x'`, ["bq/bigquery: DROP TABLE x"]],
    [`snowsql -q "DROP TABLE x"`, ["snowsql/snowflake: DROP TABLE x"]],
    [`duckdb a.db -c "DROP TABLE x"`, ["duckdb/duckdb: DROP TABLE x"]],
    [`duckdb a.db "DROP TABLE x"`, ["duckdb/duckdb: DROP TABLE x"]],
    [`wrangler d1 execute db --command "DROP TABLE x"`, ["wrangler/sqlite: DROP TABLE x"]],
    [`dropdb shop`, [`dropdb/postgres: DROP DATABASE "shop"`]],
    [`mysqladmin -u root drop shop`, [`mysqladmin/unknown: DROP DATABASE "shop"`]],
    [`X=psql; $X -c "DROP TABLE x"`, ["unknown/unknown: DROP TABLE x"]],
    [`sqlite3 a.db ".tables" "DROP TABLE x"`, ["sqlite3/sqlite: DROP TABLE x"]],
    [`printf '.mode csv\\nSELECT 1;\\n' | sqlite3 a.db`, ["sqlite3/sqlite: SELECT 1;\n"]],
    [`sqlcmd -x -Q "DROP TABLE x"`, ["sqlcmd/tsql: DROP TABLE x"]],
    [`sqlcmd /Q "DROP TABLE x"`, ["sqlcmd/tsql: DROP TABLE x"]],
    [`sqlcmd -V 1 <<< "DROP TABLE x"`, ["sqlcmd/tsql: DROP TABLE x"]],
    [`psql-16 -c "DROP TABLE x"`, ["psql-16/postgres: DROP TABLE x"]],
    [`env -S "psql -c 'DROP TABLE x'"`, ["psql/postgres: DROP TABLE x"]],
    [`env -S'psql -c "DROP TABLE x"'`, ["psql/postgres: DROP TABLE x"]],
    [`aws rds-data execute-statement --sql "DROP TABLE x"`, ["aws/unknown: DROP TABLE x"]],
    [`npx wrangler d1 execute db --command "DROP TABLE x"`, ["wrangler/sqlite: DROP TABLE x"]],
    [`sqlite-utils a.db "DROP TABLE x"`, ["unknown/unknown: DROP TABLE x"]],
    [
      `sqlite3 a.db <<'E'\nSELECT 1\n/\nATTACH 'x' AS y;\nE`,
      ["sqlite3/sqlite: SELECT 1\n;\nATTACH 'x' AS y;\n"],
    ],
    [
      `sqlite3 a.db <<'E'\nSELECT 1 AS "a\n.print "; DELETE FROM t; --\n"\nE`,
      [`sqlite3/sqlite: SELECT 1 AS "a\n.print "; DELETE FROM t; --\n"\n`],
    ],
  ];
  test.each(rows)("%s", (text, expected) => expect(found(text)).toEqual(expected));
});

describe("standard input behind options, shells and wrappers", () => {
  const rows = [
    `sqlite3 -cmd ".mode csv" a.db <<< "DROP TABLE x"`,
    `echo "DROP TABLE x" | mysql --init-command="SET NAMES utf8" db`,
    `sqlcmd -q "SELECT 1" <<< "DROP TABLE x"`,
    `psql -c "SELECT 1" -f - <<< "DROP TABLE x"`,
    `ssh host <<'EOF'\npsql -c "DROP TABLE x"\nEOF`,
    `ssh host 'bash -s' <<'EOF'\npsql -c "DROP TABLE x"\nEOF`,
    `ssh host "psql db" <<< "DROP TABLE x"`,
    `sh -c "psql db" <<< "DROP TABLE x"`,
    `sudo -u postgres bash -c "psql app" <<EOF\nDROP TABLE x\nEOF`,
    `su postgres -c psql <<< "DROP TABLE x"`,
    `sudo -i <<'EOF'\npsql -c "DROP TABLE x"\nEOF`,
    `PSQL="psql -d app"; $PSQL <<< "DROP TABLE x"`,
    `$(which psql) <<< "DROP TABLE x"`,
  ];
  test.each(rows)("%s", (text) =>
    expect(sqlInCommand(text, "bash").map((one) => one.text.trim())).toContain("DROP TABLE x"),
  );
});

describe("a client behind another program", () => {
  const rows = [
    `docker compose -f a.yml exec -T db psql -c "DROP TABLE x"`,
    `docker compose --profile p exec db psql -c "DROP TABLE x"`,
    `gosu postgres psql -c "DROP TABLE x"`,
    `poetry run psql -c "DROP TABLE x"`,
    `nix-shell -p postgresql --run "psql -c 'DROP TABLE x'"`,
    `tmux new-session -d "psql -c 'DROP TABLE x'"`,
    `vagrant ssh -c "psql -c 'DROP TABLE x'"`,
    `fly ssh console -C "psql -c 'DROP TABLE x'"`,
    `gcloud compute ssh vm --command="psql -c 'DROP TABLE x'"`,
    `heroku run psql -c "DROP TABLE x"`,
    `ddev mysql -e "DROP TABLE x"`,
    `oc rsh pod psql -c "DROP TABLE x"`,
    `kubectl run x --rm -it --image=postgres -- psql -c "DROP TABLE x"`,
    `frobnicate --now psql -c "DROP TABLE x"`,
    `alias p=psql; p -c "DROP TABLE x"`,
    `/usr/bin/psq? -c "DROP TABLE x"`,
  ];
  test.each(rows)("%s", (text) =>
    expect(sqlInCommand(text, "bash").map((one) => one.text)).toContain("DROP TABLE x"),
  );
});

describe("what cannot be seen is said so", () => {
  const rows = [
    `set -- -c "DROP TABLE x"; psql "$@"`,
    `a=(-c "DROP TABLE x"); psql "\${a[@]}"`,
    `X='-cDROP TABLE x'; psql "$X"`,
    `psql "$(echo "-cDROP TABLE x")"`,
    `psql "\${A:=-cDROP TABLE x}"`,
    `read A <<< "-cDROP TABLE x"; psql "$A"`,
    `${"npx ".repeat(40)}psql -c "DROP TABLE x"`,
    `bq query ${"a ".repeat(300)}`,
    `echo "DROP TABLE x" > >(psql db)`,
    `tee >(psql db) <<< "DROP TABLE x"`,
    `parallel psql -c ::: "DROP TABLE x"`,
    `docker compose -f a.yml exec -T db psql -f x.sql`,
    `npx wrangler d1 execute db --file x.sql`,
    `mysql --default-character-set=gbk -e "SELECT '€\\\\'' ; DELETE FROM x; -- '"`,
    `snowsql -D "x=1; DROP TABLE x" -q "SELECT &x"`,
    `sqlplus u/p <<'E'\nSELECT ' x\n\nDELETE FROM x;\n' FROM dual;\nE`,
    `sqlcmd <<'E'\nSELECT '\nGO\nDELETE FROM x\nGO\n'\nGO\nE`,
    `sqlcmd <<'E'\nSELECT 1 /*\nGO\nDELETE FROM x\nGO\n*/\nGO\nE`,
    `pg_restore --clean -d app dump`,
    `pg_restore -vc -d app dump`,
    `bq rm -r -f ds`,
    `bq query --replace --destination_table=d.t "SELECT 1"`,
    `npx prisma migrate reset --force`,
    `rails db:drop`,
    `python3 manage.py flush --no-input`,
    `psql -c "$SQL"`,
    `psql -c "SELECT $(cat x)"`,
    `psql -f x.sql`,
    `psql < x.sql`,
    `cat x.sql | psql`,
    `base64 -d < a.txt | psql`,
    `sqlite3 a.db "$1"`,
    `sqlite3 a.db < x.sql`,
    `sqlite3 a.db ".read x.sql"`,
    `sqlite3 a.db ".shell rm -rf /"`,
    `sqlite3 a.db ".sh rm -rf /"`,
    `sqlite3 -init x.sql a.db`,
    `psql -c "\\! rm -rf /"`,
    "psql -c '\\echo `rm -rf /`'",
    `psql -c "\\copy t from program 'rm'"`,
    `psql -c '\\i x.sql'`,
    `mysql -e "source x.sql"`,
    `mysql < x.sql`,
    `mysql -e "\\! rm -rf /"`,
    `sqlcmd -i x.sql`,
    `sqlcmd -Q ':r x.sql'`,
    `sqlcmd -Q 'SELECT $(x)'`,
    `X="db -cDROP"; psql $X`,
    `echo "DROP TABLE x" | xargs -I {} psql -c {}`,
    `xargs sqlite3 a.db`,
    `psql -v q='DROP TABLE x' <<< ':q'`,
    `f() { sqlite3 a.db "$1"; }; f "DROP TABLE x"`,
    `exec < x.sql; psql`,
    `sqlplus u/p @x.sql`,
    `psql <<E\nSELECT $X\nE`,
    `psql -c "SELECT 1`,
    `find . -name '*.sql' -exec psql -f {} \\;`,
    `for f in *.sql; do psql -f "$f"; done`,
    `while read l; do psql -c "$l"; done < x`,
  ];
  test.each(rows)("%s", (text) => expect(sqlInCommand(text, "bash").some((one) => one.dynamic)).toBe(true));
});

describe("no SQL, no question", () => {
  const rows = [
    "psql",
    "psql db",
    "psql --version",
    "psql -l",
    "sqlite3 a.db",
    "sqlite3 a.db .tables",
    "sqlite3 a.db '.schema users'",
    "sqlite3 a.db '.mode csv' '.headers on'",
    `psql -c '\\dt'`,
    `psql -c '\\d+ users'`,
    `psql -l | grep "DROP TABLE"`,
    `pg_restore -Fc -d app dump`,
    `docker logs mysql | tail`,
    `docker compose up -d mysql`,
    `systemctl restart mysql`,
    `cat x | grep psql`,
    `npm run dev`,
    `npx prisma migrate dev`,
    `bq query --help`,
    `rails db:migrate`,
    `git commit -m "use psql -c 'DROP TABLE x' in the docs"`,
    `kubectl get pods -l app=mysql | wc -l`,
    `echo "see psql -c 'DROP TABLE x'" >> README.md`,
    `psql "$(heroku config:get DATABASE_URL)"`,
    `psql "\${DATABASE_URL:-postgres://localhost/db}"`,
    `export PGPASSWORD=x; psql -h "$PGHOST" -U "$PGUSER" "$PGDATABASE"`,
    `psql "postgres://$USER:$PASS@localhost/db"`,
    `grep -r "DROP TABLE" .`,
    `git commit -m "psql: DROP TABLE x"`,
    `echo "DROP TABLE x"`,
    `cat > x.sql <<'E'\nDROP TABLE x\nE`,
    `npm install psql`,
    `which psql mysql`,
    `bq ls`,
    `wrangler dev`,
    `pg_dump db > x.sql`,
    `apt-get install -y sqlite3`,
    `man psql`,
    `$PYTHON manage.py migrate`,
    `$EDITOR "my file"`,
    "snow --help",
    "mysqladmin status",
  ];
  test.each(rows)("%s", (text) => expect(found(text)).toEqual([]));

  test("powershell and cmd", () => {
    expect(found(`sqlite3 a.db "DROP TABLE x"`, "cmd")).toEqual(["sqlite3/sqlite: DROP TABLE x"]);
    expect(found(`"DROP TABLE x" | sqlite3.exe a.db`, "pwsh")).toEqual(["sqlite3/sqlite: DROP TABLE x"]);
    expect(found(`Get-Content x.sql | sqlite3 a.db`, "pwsh")).toEqual(["sqlite3/sqlite!:"]);
    expect(found(`@psql -c "DROP TABLE x"`, "cmd")).toEqual(["psql/postgres: DROP TABLE x"]);
    expect(found(`Invoke-Sqlcmd -ServerInstance s -Query "DROP TABLE x"`, "pwsh")).toEqual([
      "invoke-sqlcmd/tsql: DROP TABLE x",
    ]);
    expect(found(`iex "psql -c 'DROP TABLE x'"`, "pwsh")).toEqual(["psql/postgres: DROP TABLE x"]);
    expect(found(`Start-Process psql -ArgumentList '-c "DROP TABLE x"'`, "pwsh")).toContain(
      "psql/postgres: DROP TABLE x",
    );
  });
});

test("long lists of words are read in time", () => {
  for (const text of [
    `bq query ${"a ".repeat(30_000)}`,
    `psql ${'"$A" '.repeat(10_000)}`,
    `${"npx ".repeat(16_000)}psql`,
    `${"heroku ".repeat(9_000)}psql -c x`,
    `pg_restore ${"-v ".repeat(20_000)}`,
  ]) {
    const start = process.cpuUsage();
    sqlInCommand(text, "bash");
    expect(process.cpuUsage(start).user / 1000, text.slice(0, 20)).toBeLessThan(3000);
  }
});
