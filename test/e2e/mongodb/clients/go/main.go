// The battery as a program of the Go driver. Arguments: URL, JSON file of the failing commands. Prints JSON lines.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const repetitions = 3
const waitSeconds = 20

type failingCommand struct {
	Kind    string          `json:"kind"`
	Command json.RawMessage `json:"command"`
}

type fields map[string]any

var ctx = context.Background()
var output sync.Mutex

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func say(step string, more fields) {
	output.Lock()
	defer output.Unlock()
	more["step"] = step
	text, err := json.Marshal(more)
	must(err)
	fmt.Println(string(text))
}

// plain turns a BSON value into JSON with the order of its fields.
func plain(value any) json.RawMessage {
	text, err := bson.MarshalExtJSON(bson.D{{Key: "v", Value: value}}, false, false)
	if err != nil {
		return json.RawMessage(fmt.Sprintf("%q", err.Error()))
	}
	var wrapped struct {
		V json.RawMessage `json:"v"`
	}
	must(json.Unmarshal(text, &wrapped))
	return wrapped.V
}

func describe(err error) any {
	told := fields{"duplicate": mongo.IsDuplicateKeyError(err), "network": mongo.IsNetworkError(err), "timeout": mongo.IsTimeout(err)}
	var command mongo.CommandError
	if errors.As(err, &command) {
		told["command"] = fields{"code": command.Code, "name": command.Name, "message": command.Message, "labels": command.Labels, "raw": plain(command.Raw)}
	}
	var write mongo.WriteException
	if errors.As(err, &write) {
		told["writeErrors"] = describeWrites(write.WriteErrors)
		told["labels"] = write.Labels
		told["raw"] = plain(write.Raw)
	}
	var bulk mongo.BulkWriteException
	writes := write.WriteErrors
	if errors.As(err, &bulk) {
		for _, one := range bulk.WriteErrors {
			writes = append(writes, one.WriteError)
		}
		told["writeErrors"] = describeWrites(writes)
		told["labels"] = bulk.Labels
	}
	// The messages stand in brackets, each of them told above.
	text := err.Error()
	for _, one := range writes {
		text = strings.ReplaceAll(text, one.Message, "<message>")
	}
	told["text"] = text
	return told
}

func describeWrites(writes []mongo.WriteError) []any {
	told := []any{}
	for _, one := range writes {
		told = append(told, fields{"index": one.Index, "code": one.Code, "message": one.Message, "details": plain(one.Details), "raw": plain(one.Raw)})
	}
	return told
}

type session struct {
	client  *mongo.Client
	db      *mongo.Database
	users   *mongo.Collection
	many    *mongo.Collection
	lock    sync.Mutex
	replies []any
}

func open(change func(*options.ClientOptions)) *session {
	one := &session{}
	monitor := &event.CommandMonitor{
		Succeeded: func(_ context.Context, happened *event.CommandSucceededEvent) {
			one.lock.Lock()
			defer one.lock.Unlock()
			one.replies = append(one.replies, fields{"succeeded": happened.CommandName, "reply": plain(happened.Reply)})
		},
		Failed: func(_ context.Context, happened *event.CommandFailedEvent) {
			one.lock.Lock()
			defer one.lock.Unlock()
			one.replies = append(one.replies, fields{"failed": happened.CommandName, "failure": happened.Failure.Error()})
		},
	}
	target := os.Args[1]
	choices := options.Client().ApplyURI(target).SetMonitor(monitor).SetMaxPoolSize(1).SetServerSelectionTimeout(waitSeconds * time.Second)
	change(choices)
	client, err := mongo.Connect(choices)
	must(err)
	name := target[strings.LastIndex(target, "/")+1:]
	name, _, _ = strings.Cut(name, "?")
	one.client, one.db = client, client.Database(name)
	one.users, one.many = one.db.Collection("users"), one.db.Collection("many")
	return one
}

func asIs(*options.ClientOptions) {}

func (one *session) close() {
	must(one.client.Disconnect(ctx))
}

func (one *session) step(name string, work func() (any, error)) {
	one.lock.Lock()
	one.replies = []any{}
	one.lock.Unlock()
	value, err := work()
	told := fields{}
	if err != nil {
		told["error"] = describe(err)
	} else {
		told["value"] = plain(value)
	}
	one.lock.Lock()
	defer one.lock.Unlock()
	told["replies"] = one.replies
	say(name, told)
}

func all(cursor *mongo.Cursor, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	found := []bson.Raw{}
	err = cursor.All(ctx, &found)
	return found, err
}

func failures(one *session) {
	text, err := os.ReadFile(os.Args[2])
	must(err)
	cases := []failingCommand{}
	must(json.Unmarshal(text, &cases))
	for _, failing := range cases {
		command := bson.D{}
		must(bson.UnmarshalExtJSON(failing.Command, false, &command))
		for time := 1; time <= repetitions; time++ {
			one.step(fmt.Sprintf("%s #%d", failing.Kind, time), func() (any, error) { return one.db.RunCommand(ctx, command).Raw() })
		}
	}
}

func id(value any) bson.D {
	return bson.D{{Key: "_id", Value: value}}
}

func set(field string, value any) bson.D {
	return bson.D{{Key: "$set", Value: bson.D{{Key: field, Value: value}}}}
}

func documents(one *session) {
	users := one.users
	one.step("insert one", func() (any, error) {
		return users.InsertOne(ctx, bson.D{{Key: "_id", Value: 100}, {Key: "email", Value: "100@e"}})
	})
	one.step("insert many", func() (any, error) {
		return users.InsertMany(ctx, []any{bson.D{{Key: "_id", Value: 101}, {Key: "email", Value: "101@e"}}, bson.D{{Key: "_id", Value: 102}, {Key: "email", Value: "102@e"}}})
	})
	late := id(bson.D{{Key: "$gte", Value: 100}})
	one.step("find", func() (any, error) { return all(users.Find(ctx, late, options.Find().SetSort(id(1)))) })
	one.step("find one", func() (any, error) { return users.FindOne(ctx, bson.D{{Key: "email", Value: "ada@example.org"}}).Raw() })
	one.step("find nothing", func() (any, error) { return users.FindOne(ctx, id(-1)).Raw() })
	one.step("count", func() (any, error) { return users.CountDocuments(ctx, bson.D{{Key: "city", Value: "London"}}) })
	one.step("distinct", func() (any, error) { return users.Distinct(ctx, "city", bson.D{}).Raw() })
	one.step("update one", func() (any, error) { return users.UpdateOne(ctx, id(100), set("age", 1)) })
	one.step("upsert", func() (any, error) {
		return users.UpdateOne(ctx, id(103), set("email", "103@e"), options.UpdateOne().SetUpsert(true))
	})
	one.step("find and update", func() (any, error) { return users.FindOneAndUpdate(ctx, id(100), set("age", 2)).Raw() })
	one.step("find and delete", func() (any, error) { return users.FindOneAndDelete(ctx, id(102)).Raw() })
	one.step("delete many", func() (any, error) { return users.DeleteMany(ctx, late) })
	for time := 1; time <= repetitions; time++ {
		step := func(name string, work func() (any, error)) { one.step(fmt.Sprintf("%s %d", name, time), work) }
		step("duplicate by insert one", func() (any, error) {
			return users.InsertOne(ctx, bson.D{{Key: "_id", Value: 1}, {Key: "by", Value: "insert one"}})
		})
		step("duplicate by insert many", func() (any, error) {
			return users.InsertMany(ctx, []any{id(120), bson.D{{Key: "_id", Value: 1}, {Key: "by", Value: "insert many"}}})
		})
		step("duplicate by update", func() (any, error) { return users.UpdateOne(ctx, id(1), set("email", "eve@example.org")) })
		step("duplicate by find and update", func() (any, error) { return users.FindOneAndUpdate(ctx, id(1), set("email", "eve@example.org")).Raw() })
		step("unknown operator by find", func() (any, error) {
			return users.FindOne(ctx, bson.D{{Key: "city", Value: bson.D{{Key: "$like", Value: "L%"}}}}).Raw()
		})
		step("unknown stage by aggregate", func() (any, error) {
			return all(users.Aggregate(ctx, []any{bson.D{{Key: "$explode", Value: bson.D{}}}}))
		})
		step("after failures", func() (any, error) { return users.DeleteMany(ctx, late) })
	}
}

func bulkWrites(one *session) {
	nope := bson.D{{Key: "$nope", Value: bson.D{{Key: "age", Value: 1}}}}
	models := []mongo.WriteModel{
		mongo.NewInsertOneModel().SetDocument(bson.D{{Key: "_id", Value: 200}, {Key: "email", Value: "200@e"}}),
		mongo.NewInsertOneModel().SetDocument(bson.D{{Key: "_id", Value: 1}, {Key: "bulk", Value: true}}),
		mongo.NewUpdateOneModel().SetFilter(id(2)).SetUpdate(nope),
		mongo.NewUpdateOneModel().SetFilter(id(2)).SetUpdate(set("age", 41)),
		mongo.NewDeleteOneModel().SetFilter(id(200)),
	}
	for _, ordered := range []bool{true, false} {
		for time := 1; time <= repetitions; time++ {
			name := fmt.Sprintf("bulk write ordered %t %d", ordered, time)
			one.step(name, func() (any, error) {
				return one.users.BulkWrite(ctx, models, options.BulkWrite().SetOrdered(ordered))
			})
			one.step("after "+name, func() (any, error) { return one.users.DeleteMany(ctx, id(bson.D{{Key: "$gte", Value: 200}})) })
		}
	}
}

func cursors(one *session) {
	for _, size := range []int32{1000, 101, 50} {
		one.step(fmt.Sprintf("cursor in batches of %d", size), func() (any, error) {
			return all(one.many.Find(ctx, bson.D{}, options.Find().SetBatchSize(size).SetSort(id(1))))
		})
	}
	difference := bson.D{{Key: "$subtract", Value: bson.A{"$_id", 300}}}
	quotient := bson.D{{Key: "$divide", Value: bson.A{1, difference}}}
	late := []any{bson.D{{Key: "$sort", Value: id(1)}}, bson.D{{Key: "$project", Value: bson.D{{Key: "a", Value: quotient}}}}}
	for time := 1; time <= repetitions; time++ {
		one.step(fmt.Sprintf("cursor that fails %d", time), func() (any, error) { return all(one.many.Aggregate(ctx, late)) })
	}
}

func logins() {
	ping := func(step string, change func(*options.ClientOptions)) {
		one := open(change)
		defer one.close()
		one.step(step, func() (any, error) {
			return one.client.Database("admin").RunCommand(ctx, bson.D{{Key: "ping", Value: 1}}).Raw()
		})
	}
	as := func(user string, password string) func(*options.ClientOptions) {
		return func(choices *options.ClientOptions) {
			choices.SetAuth(options.Credential{Username: user, Password: password, AuthSource: "admin"})
		}
	}
	for time := 1; time <= 2; time++ {
		ping(fmt.Sprintf("login %d", time), asIs)
		ping(fmt.Sprintf("login with a wrong password %d", time), as("app", "wrong"))
		ping(fmt.Sprintf("login of nobody %d", time), as("nobody", "secretpw"))
	}
	for _, direct := range []bool{true, false} {
		ping(fmt.Sprintf("login, direct connection %t", direct), func(choices *options.ClientOptions) { choices.SetDirect(direct) })
	}
}

func several() {
	one := open(func(choices *options.ClientOptions) { choices.SetMaxPoolSize(4) })
	defer one.close()
	told := make([]bool, 8)
	var done sync.WaitGroup
	for number := range told {
		done.Add(1)
		go func() {
			defer done.Done()
			name := fmt.Sprintf("$nope%d", number)
			filter := bson.D{{Key: fmt.Sprintf("field%d", number), Value: bson.D{{Key: name, Value: number}}}}
			for range 5 {
				one.many.FindOne(ctx, id(number))
				_, err := one.many.FindOne(ctx, filter).Raw()
				told[number] = err != nil && strings.Contains(err.Error(), name)
			}
		}()
	}
	done.Wait()
	say("several at once", fields{"told": told})
}

func main() {
	one := open(asIs)
	failures(one)
	documents(one)
	bulkWrites(one)
	cursors(one)
	one.close()
	logins()
	several()
}
