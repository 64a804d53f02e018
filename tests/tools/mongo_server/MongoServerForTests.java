// SPDX-License-Identifier: MIT
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import java.util.Set;

/**
 * Runs mongo-java-server, which is no mongod: MongoServerForTests PORT [FILE]. Without a file the data are in memory.
 * With a file, each command that writes is committed to the file before it is answered, so that an answered write
 * survives the end of this process (but no power loss: nothing is synced).
 */
public final class MongoServerForTests {
  private static final class Committing extends H2Backend {
    private static final Set<String> WRITES =
        Set.of("insert", "update", "delete", "findandmodify", "createindexes", "create", "drop", "dropdatabase");

    Committing(String file) {
      super(file);
    }

    @Override
    public Document handleCommand(Channel channel, String database, String command, Document query) {
      Document answer = super.handleCommand(channel, database, command, query);
      if (WRITES.contains(command.toLowerCase())) commit();
      return answer;
    }
  }

  public static void main(String[] arguments) {
    MongoServer server =
        new MongoServer(arguments.length > 1 ? new Committing(arguments[1]) : new MemoryBackend());
    server.bind("127.0.0.1", Integer.parseInt(arguments[0]));
    System.out.println("listening");
  }
}
