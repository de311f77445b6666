import { connect } from "amqplib";

/** Opens a channel on the vhost, puts a message into a durable queue, and reads it back without taking it away. */
export async function makeRoundTrip(url: string, text: string): Promise<string> {
  const connection = await connect(url);
  try {
    const channel = await connection.createChannel();
    await channel.assertQueue("kept", { durable: true });
    channel.sendToQueue("kept", Buffer.from(text), { persistent: true });
    const message = await readOne(channel);
    await channel.close();
    return message;
  } finally {
    await connection.close();
  }
}

interface Channel {
  get(queue: string, options: { noAck: boolean }): Promise<{ content: Buffer } | false>;
  nackAll(requeue: boolean): void;
}

async function readOne(channel: Channel): Promise<string> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const message = await channel.get("kept", { noAck: false });
    if (message !== false) {
      channel.nackAll(true);
      return message.content.toString("utf8");
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("the message did not come back");
}
