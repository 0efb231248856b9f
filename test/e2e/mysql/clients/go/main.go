// The battery as a program of go-sql-driver/mysql. Arguments: URL, JSON file of the failing statements, mysql or
// mariadb. Prints JSON lines.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

const repetitions = 3
const waitSeconds = 20

type failingStatement struct {
	Code       int    `json:"code"`
	SQL        string `json:"sql"`
	Before     string `json:"before"`
	After      string `json:"after"`
	IsReader   bool   `json:"isReader"`
	IsTextOnly bool   `json:"isTextOnly"`
}

type fields map[string]any

var ctx = context.Background()
var target *url.URL
var output sync.Mutex

func say(step string, more fields) {
	output.Lock()
	defer output.Unlock()
	line := fields{"step": step}
	for name, value := range more {
		line[name] = value
	}
	text, err := json.Marshal(line)
	must(err)
	fmt.Println(string(text))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func describe(err error) any {
	var failure *mysql.MySQLError
	if errors.As(err, &failure) {
		return fields{"number": failure.Number, "state": string(failure.SQLState[:]), "message": failure.Message}
	}
	return fields{"other": err.Error()}
}

// connect gives one session, which stays the same for all it is asked.
func connect(change func(*mysql.Config)) (*sql.Conn, func(), error) {
	config := mysql.NewConfig()
	config.Net = "tcp"
	config.Addr = target.Host
	config.User = target.User.Username()
	config.Passwd, _ = target.User.Password()
	config.DBName = strings.TrimPrefix(target.Path, "/")
	config.Logger = &mysql.NopLogger{}
	change(config)
	connector, err := mysql.NewConnector(config)
	must(err)
	pool := sql.OpenDB(connector)
	session, err := pool.Conn(ctx)
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	return session, func() { session.Close(); pool.Close() }, nil
}

func mustConnect(change func(*mysql.Config)) (*sql.Conn, func()) {
	session, end, err := connect(change)
	must(err)
	return session, end
}

func asIs(*mysql.Config) {}

func answer(rows *sql.Rows) (any, error) {
	defer rows.Close()
	sets := []any{}
	for {
		types, err := rows.ColumnTypes()
		if err != nil {
			return nil, err
		}
		columns := []any{}
		for _, one := range types {
			length, _ := one.Length()
			nullable, _ := one.Nullable()
			columns = append(columns, []any{one.Name(), one.DatabaseTypeName(), one.ScanType().String(), length, nullable})
		}
		found := [][]any{}
		for rows.Next() {
			row := make([]any, len(types))
			at := make([]any, len(types))
			for index := range row {
				at[index] = &row[index]
			}
			if err := rows.Scan(at...); err != nil {
				return nil, err
			}
			for index, value := range row {
				if bytes, isBytes := value.([]byte); isBytes {
					row[index] = fmt.Sprintf("%q", bytes)
				}
			}
			found = append(found, row)
		}
		sets = append(sets, fields{"columns": columns, "rows": found})
		if err := rows.Err(); err != nil {
			say("rows before an error", fields{"sets": sets})
			return nil, err
		}
		if !rows.NextResultSet() {
			break
		}
	}
	return sets, rows.Err()
}

func attempt(step string, work func() (any, error)) {
	value, err := work()
	if err != nil {
		say(step, fields{"error": describe(err)})
	} else {
		say(step, fields{"value": value})
	}
}

func query(session *sql.Conn, step string, text string, values ...any) {
	attempt(step, func() (any, error) {
		rows, err := session.QueryContext(ctx, text, values...)
		if err != nil {
			return nil, err
		}
		return answer(rows)
	})
}

func queryPrepared(session *sql.Conn, step string, text string, values ...any) {
	attempt(step, func() (any, error) {
		statement, err := session.PrepareContext(ctx, text)
		if err != nil {
			return nil, err
		}
		defer statement.Close()
		rows, err := statement.QueryContext(ctx, values...)
		if err != nil {
			return nil, err
		}
		return answer(rows)
	})
}

func run(session *sql.Conn, step string, text string, values ...any) {
	attempt(step, func() (any, error) {
		result, err := session.ExecContext(ctx, text, values...)
		if err != nil {
			return nil, err
		}
		affected, _ := result.RowsAffected()
		id, _ := result.LastInsertId()
		all, _ := result.(interface{ AllRowsAffected() []int64 })
		if all != nil {
			return fields{"affected": affected, "id": id, "all": all.AllRowsAffected()}, nil
		}
		return fields{"affected": affected, "id": id}, nil
	})
}

func quiet(session *sql.Conn, text string, values ...any) {
	_, err := session.ExecContext(ctx, text, values...)
	must(err)
}

func number(session *sql.Conn, text string, values ...any) int64 {
	var found int64
	must(session.QueryRowContext(ctx, text, values...).Scan(&found))
	return found
}

func times(work func(time int)) {
	for time := 1; time <= repetitions; time++ {
		work(time)
	}
}

func failures(statements []failingStatement) {
	session, end := mustConnect(asIs)
	defer end()
	reader, endReader := mustConnect(func(config *mysql.Config) { config.User, config.Passwd = "reader", "readerpw" })
	defer endReader()
	for _, one := range statements {
		on := session
		if one.IsReader {
			on = reader
		}
		if one.Before != "" {
			quiet(on, one.Before)
		}
		times(func(time int) { query(on, fmt.Sprintf("%d %d text %s", one.Code, time, one.SQL), one.SQL) })
		times(func(time int) { run(on, fmt.Sprintf("%d %d exec %s", one.Code, time, one.SQL), one.SQL) })
		if !one.IsTextOnly {
			times(func(time int) { queryPrepared(on, fmt.Sprintf("%d %d prepared %s", one.Code, time, one.SQL), one.SQL) })
		}
		if one.After != "" {
			quiet(on, one.After)
		}
	}
}

func results() {
	session, end := mustConnect(asIs)
	defer end()
	for _, text := range []string{
		"select * from city order by id",
		"select * from person order by id",
		"select * from copied",
		"select cast(1 as signed) as a, 1.5 as b, null as c, x'00ff' as d, date '2024-01-02' as e, true as f",
		"call two_sets()",
		"call overdraw()",
		"show create table account",
	} {
		query(session, "result "+text, text)
		queryPrepared(session, "prepared result "+text, text)
	}
	for _, text := range []string{
		"insert into copied (word) values ('one'), ('two'), ('three')",
		"insert ignore into copied (id, word) values (1, 'again')",
		"update copied set word = word",
		"replace into copied (id, word) values (1, 'replaced')",
		"call two_sets()",
		"truncate table copied",
		"",
	} {
		run(session, "exec "+text, text)
	}
}

func parameters(interpolate bool) {
	session, end := mustConnect(func(config *mysql.Config) { config.InterpolateParams = interpolate })
	defer end()
	times(func(time int) {
		label := fmt.Sprintf("%v %d", interpolate, time)
		query(session, "parameters "+label, "select name from city where id = ?", 1)
		run(session, "duplicate "+label, "insert into person (id, email) values (?, ?)", 50, "a@example.org")
		run(session, "bad value "+label, "update person set born = ? where id = ?", "yesterday-ish", 1)
		query(session, "no table "+label, "select * from nowhere where id = ?", 1)
		query(session, "late failure "+label, "select id, checked(id + ?) as c from city order by id", 1)
		query(session, "wrong count "+label, "select ? as a, ? as b", 1)
		query(session, "types "+label, "select ? as a, ? as b, ? as c, ? as d", 1.5, "\u00f6\U0001f600", []byte{0, 255}, nil)
	})
	attempt("one statement many times", func() (any, error) {
		statement, err := session.PrepareContext(ctx, "select 9223372036854775807 + ? as sum")
		if err != nil {
			return nil, err
		}
		defer statement.Close()
		for _, value := range []int{0, 1, 2, -1, 1} {
			attempt(fmt.Sprintf("statement %v %d", interpolate, value), func() (any, error) {
				rows, err := statement.QueryContext(ctx, value)
				if err != nil {
					return nil, err
				}
				return answer(rows)
			})
		}
		return "closed", nil
	})
}

func several() {
	session, end := mustConnect(func(config *mysql.Config) { config.MultiStatements = true })
	defer end()
	times(func(time int) {
		for _, text := range []string{
			"select 1 as a; select 2 as b",
			"select 1 as a; select nme from city; select 2 as b",
			"update city set country = country where id = 1; selec 1",
			"do 1; call two_sets(); select id, checked(id) from city order by id; select 5",
			"do 1; do 2; do 3; do 4; insert into city (id, name) values (1, 'again'); do 6; do 7",
		} {
			query(session, fmt.Sprintf("several %d %s", time, text), text)
			run(session, fmt.Sprintf("several exec %d %s", time, text), text)
		}
	})
}

func transactions() {
	session, end := mustConnect(asIs)
	defer end()
	times(func(time int) {
		block, err := session.BeginTx(ctx, nil)
		must(err)
		_, err = block.ExecContext(ctx, "update account set balance = balance + 1 where id = 2")
		must(err)
		_, err = block.ExecContext(ctx, "insert into city (id, name) values (1, 'again')")
		say(fmt.Sprintf("failure in a block %d", time), fields{"error": describe(err)})
		must(block.Rollback())
		query(session, fmt.Sprintf("after a block %d", time), "select balance from account where id = 2")
		read, err := session.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		must(err)
		_, err = read.ExecContext(ctx, "delete from copied")
		say(fmt.Sprintf("write in a read-only block %d", time), fields{"error": describe(err)})
		must(read.Rollback())
	})
}

func localFiles() {
	mysql.RegisterReaderHandler("good", func() io.Reader {
		lines := strings.Builder{}
		for line := 1; line < 500; line++ {
			fmt.Fprintf(&lines, "%d\tword\n", line)
		}
		return strings.NewReader(lines.String())
	})
	session, end := mustConnect(asIs)
	defer end()
	load := func(step string, file string, into string) {
		run(session, step, fmt.Sprintf("load data local infile '%s' into %s", file, into))
	}
	load("file", "Reader::good", "table copied (id, word)")
	times(func(time int) {
		load(fmt.Sprintf("file again %d", time), "Reader::good", "table copied (id, word)")
		load(fmt.Sprintf("file for no table %d", time), "Reader::good", "table nowhere (id, word)")
		load(fmt.Sprintf("unknown file %d", time), "Reader::none", "table copied (id, word)")
		load(fmt.Sprintf("forbidden file %d", time), "/etc/hostname", "table copied (id, word)")
		load(fmt.Sprintf("file that fails midway %d", time), "Reader::good", "table copied (id, word) set twin = (select d from digits)")
		query(session, fmt.Sprintf("after files %d", time), "select count(*) from copied")
	})
	quiet(session, "truncate table copied")
}

func until(what string, condition func() bool) {
	for deadline := time.Now().Add(waitSeconds * time.Second); !condition(); {
		if time.Now().After(deadline) {
			panic("waited in vain for " + what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// waitsForLock reads the engine's report: the table of transactions goes stale while several sessions read it often.
func waitsForLock(watcher *sql.Conn, threadID int64) bool {
	var kind, name, report string
	must(watcher.QueryRowContext(ctx, "show engine innodb status").Scan(&kind, &name, &report))
	// What comes before the first transaction tells of the last deadlock.
	for _, one := range strings.Split(report, "---TRANSACTION")[1:] {
		if strings.Contains(one, fmt.Sprintf("thread id %d,", threadID)) {
			return strings.Contains(one, "LOCK WAIT")
		}
	}
	return false
}

// deadlocks: the heavier session waits for row 3, then ours asks for row 2 and is the one that gives way.
func deadlocks() {
	session, end := mustConnect(asIs)
	defer end()
	other, endOther := mustConnect(asIs)
	defer endOther()
	watcher, endWatcher := mustConnect(asIs)
	defer endWatcher()
	otherID := number(other, "select connection_id()")
	times(func(time int) {
		quiet(session, "begin")
		quiet(session, "update held set v = 1 where id = 3")
		quiet(other, "begin")
		for _, row := range []int{2, 4, 5} {
			quiet(other, "update held set v = v + 1 where id = ?", row)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			quiet(other, "update held set v = v + 1 where id = 3")
		}()
		until("the other session to wait", func() bool {
			return waitsForLock(watcher, otherID)
		})
		run(session, fmt.Sprintf("1213 %d", time), "update held set v = 1 where id = 2")
		<-done
		quiet(other, "rollback")
		run(session, fmt.Sprintf("after 1213 %d", time), "rollback")
	})
}

func kills() {
	killer, endKiller := mustConnect(asIs)
	defer endKiller()
	times(func(time int) {
		session, end := mustConnect(asIs)
		defer end()
		id := number(session, "select connection_id()")
		done := make(chan struct{})
		go func() {
			defer close(done)
			query(session, fmt.Sprintf("never: killed query %d", time), "select max(sleep(30)) from city")
		}()
		until("the statement to run", func() bool {
			return number(killer, "select count(*) from information_schema.processlist where id = ? and info like 'select max(sleep%'", id) == 1
		})
		quiet(killer, fmt.Sprintf("kill query %d", id))
		<-done
		query(session, fmt.Sprintf("after a killed query %d", time), "select nme from city")
	})
}

func refusedLogins() {
	times(func(time int) {
		for _, one := range []struct {
			step   string
			change func(*mysql.Config)
		}{
			{"wrong password", func(config *mysql.Config) { config.Passwd = "wrong" }},
			{"unknown user", func(config *mysql.Config) { config.User = "nobody_here" }},
			{"unknown database", func(config *mysql.Config) { config.DBName = "no_such_database" }},
		} {
			attempt(fmt.Sprintf("never: %s %d", one.step, time), func() (any, error) {
				_, end, err := connect(one.change)
				if err == nil {
					end()
				}
				return "logged in", err
			})
		}
	})
}

func main() {
	var err error
	target, err = url.Parse(os.Args[1])
	must(err)
	file, err := os.ReadFile(os.Args[2])
	must(err)
	var statements []failingStatement
	must(json.Unmarshal(file, &statements))
	failures(statements)
	results()
	parameters(false)
	parameters(true)
	several()
	transactions()
	localFiles()
	deadlocks()
	kills()
	refusedLogins()
}
