-- Makes the roles of a farm and its database. None of the roles is a superuser. Run it once with psql (14 or later), as the
-- server's superuser. Roles and databases that exist already stay.
--
--   psql -v secrets=FOLDER -f roles.sql     passwords are read from the files FOLDER/spool_owner, FOLDER/spool_coordinator …
--   psql -f roles.sql                       the same with /run/secrets; without such files the roles get no passwords, and
--                                           come by peer or certificate
--
-- The image postgres runs it when it makes its cluster (deploy/container, deploy/kubernetes). Its superuser then has no password
-- any more and cannot come over the network. Afterwards `spool migrate`, as spool_owner, makes the schema and gives the roles
-- their rights.
\set ON_ERROR_STOP on
\set QUIET on
\if :{?farm}
\else
  \set farm spool
\endif
\if :{?secrets}
\else
  \set secrets /run/secrets
\endif
\set has_passwords `if [ -r :'secrets'/spool_owner ]; then echo on; else echo off; fi`

-- The statements below hold passwords, so the server must not log them.
set log_statement = 'none';
set log_min_duration_statement = -1;
set log_min_error_statement = 'panic';

select format('create role %I %s', name, attributes)
from (values
  ('spool_owner', 'login connection limit 10'), ('spool_coordinator', 'login connection limit 20'),
  ('spool_operator', 'login connection limit 20'), ('spool_viewer', 'login connection limit 20'),
  ('spool_submitter', 'login connection limit 40'), ('spool_any_submitter', 'nologin'),
  ('spool_console', 'login connection limit 40')) role(name, attributes)
where to_regrole(name) is null
\gexec
-- A console submits under the names of its tokens, and steers for those that may. What a caller may is in the tokens' file.
grant spool_operator, spool_any_submitter to spool_console;
-- A forgotten session must not block vacuum and migrations.
alter role spool_viewer set statement_timeout = '30s';
alter role spool_viewer set idle_in_transaction_session_timeout = '1min';

\if :has_passwords
  \set password `cat :'secrets'/spool_owner`
  alter role spool_owner password :'password';
  \set password `cat :'secrets'/spool_coordinator`
  alter role spool_coordinator password :'password';
  \set password `cat :'secrets'/spool_submitter`
  alter role spool_submitter password :'password';
  \set password `cat :'secrets'/spool_operator`
  alter role spool_operator password :'password';
  \set password `cat :'secrets'/spool_viewer`
  alter role spool_viewer password :'password';
  -- A farm from before consoles were part of it has no such file.
  \set has_console `if [ -r :'secrets'/spool_console ]; then echo on; else echo off; fi`
  \if :has_console
    \set password `cat :'secrets'/spool_console`
    alter role spool_console password :'password';
  \endif
  \unset password
  alter role current_user password null;
\endif

select format('create database %I owner spool_owner', :'farm') where not exists (select from pg_database where datname = :'farm')
\gexec
alter database :"farm" owner to spool_owner;
revoke connect, temporary on database :"farm" from public;
grant connect on database :"farm" to spool_coordinator, spool_submitter, spool_any_submitter, spool_operator, spool_viewer;
\connect :"farm"
revoke create on schema public from public;
