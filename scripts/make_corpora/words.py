"""What the made sentences are put together from."""

from __future__ import annotations

from typing import Any

# language: people, activities (said exactly, said generally), good and bad words, frames; for some also names, frames
# with names (and spaces between all words), and frames with the question that is answered in them
WORDS: dict[str, dict[str, Any]] = {
    "en": {
        "people": ["A man", "A woman", "A child", "My neighbour", "A doctor", "The teacher"],
        "nobody": "Nobody",
        "doing": [
            ("plays the guitar", "makes music"),
            ("plays the piano", "makes music"),
            ("eats an apple", "has a meal"),
            ("eats a pizza", "has a meal"),
            ("runs in the park", "does sports"),
            ("swims in the lake", "does sports"),
        ],
        "good": ["wonderful", "great", "lovely", "excellent", "brilliant"],
        "bad": ["awful", "terrible", "boring", "dreadful", "poor"],
        "things": ["The film", "This book", "The hotel", "Our dinner", "The concert"],
        "frames": ["{thing} was {word}.", "I thought that {thing} was {word}.", "{thing} is really {word}!"],
        "PER": ["Anna", "Tom Miller", "Maria Lopez", "Peter", "Lucy Brown", "David"],
        "LOC": ["London", "New York", "Rome", "Cape Town", "Berlin", "San Jose"],
        "named": [
            "{PER} lives in {LOC} .",
            "Yesterday {PER} met {PER} in {LOC} .",
            "It rains in {LOC} and {LOC} .",
            "{PER} is here .",
        ],
        "story": [
            ("{PER} called this morning.", "Who called?"),
            ("The letter comes from {LOC}.", "Where does the letter come from?"),
            ("Dinner was {good}.", "How was dinner?"),
        ],
        "senses": [  # word, sentences with its one meaning, sentences with its other one
            ("bank", ["The bank lends money.", "My bank is closed."], ["A bank of the river.", "We sat on the bank."]),
            ("bat", ["He hit the ball with a bat.", "A wooden bat."], ["A bat flies at night.", "The bat sleeps."]),
            ("ring", ["A golden ring.", "She wears a ring."], ["Give me a ring later.", "The phone began to ring."]),
        ],
    },
    "de": {
        "people": ["Ein Mann", "Eine Frau", "Ein Kind", "Mein Nachbar", "Eine Ärztin", "Der Lehrer"],
        "nobody": "Niemand",
        "doing": [
            ("spielt Gitarre", "macht Musik"),
            ("spielt Klavier", "macht Musik"),
            ("isst einen Apfel", "isst etwas"),
            ("isst eine Pizza", "isst etwas"),
            ("läuft im Park", "treibt Sport"),
            ("schwimmt im See", "treibt Sport"),
        ],
        "good": ["wunderbar", "großartig", "schön", "ausgezeichnet", "prima"],
        "bad": ["furchtbar", "schrecklich", "langweilig", "schlecht", "öde"],
        "things": ["Der Film", "Dieses Buch", "Das Hotel", "Unser Essen", "Das Konzert"],
        "frames": ["{thing} war {word}.", "Ich fand, {thing} war {word}.", "{thing} ist wirklich {word}!"],
    },
    "es": {
        "people": ["Un hombre", "Una mujer", "Un niño", "Mi vecino", "Una médica", "El profesor"],
        "nobody": "Nadie",
        "doing": [
            ("toca la guitarra", "hace música"),
            ("toca el piano", "hace música"),
            ("come una manzana", "come algo"),
            ("come una pizza", "come algo"),
            ("corre en el parque", "hace deporte"),
            ("nada en el lago", "hace deporte"),
        ],
        "good": ["maravilloso", "genial", "precioso", "excelente", "estupendo"],
        "bad": ["horrible", "terrible", "aburrido", "pésimo", "malo"],
        "things": ["La película", "Este libro", "El hotel", "La cena", "El concierto"],
        "frames": ["{thing} fue {word}.", "Creo que {thing} fue {word}.", "¡{thing} es realmente {word}!"],
    },
    "zh": {
        "people": ["一个男人", "一个女人", "一个孩子", "我的邻居", "一位医生", "老师"],
        "nobody": "没有人",
        "doing": [
            ("在弹吉他", "在演奏音乐"),
            ("在弹钢琴", "在演奏音乐"),
            ("在吃苹果", "在吃东西"),
            ("在吃披萨", "在吃东西"),
            ("在公园跑步", "在做运动"),
            ("在湖里游泳", "在做运动"),
        ],
        "good": ["精彩", "很棒", "可爱", "出色", "美好"],
        "bad": ["糟糕", "可怕", "无聊", "难看", "很差"],
        "things": ["这部电影", "这本书", "这家酒店", "我们的晚餐", "音乐会"],
        "frames": ["{thing}{word}。", "我觉得{thing}{word}。", "{thing}真是{word}！"],
        "PER": ["王芳", "李小明", "张伟", "刘洋", "陈静", "赵大海"],
        "LOC": ["北京", "上海", "哈尔滨", "广州", "石家庄", "香港"],
        "named": [
            "{PER} 住在 {LOC} 。",
            "昨天 {PER} 在 {LOC} 遇见了 {PER} 。",
            "{LOC} 和 {LOC} 都在下雨。",
            "{PER} 来了。",
        ],
        "story": [
            ("早上{PER}打来电话。", "谁打来电话？"),
            ("这封信来自{LOC}。", "这封信来自哪里？"),
            ("晚饭{good}。", "晚饭怎么样？"),
        ],
    },
}
