"""The networks for photographs at tiny sizes, with random weights: the real classes, their
processors and tokenizers, in folders as the hub has them.
"""

from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file

from po3d.perception.foundation_orientation import HEAD, head

WORDS = (
    "a",
    "an",
    "photo",
    "of",
    "dog",
    "car",
    "person",
    "stop",
    "sign",
    "sofa",
    "bed",
    "chair",
    ".",
)
DINO = {"image_size": 28, "patch_size": 14, "hidden_size": 8, "num_attention_heads": 2}
TEXT = {
    "hidden_size": 16,
    "intermediate_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
}


def grounding_dino(folder: Path) -> Path:
    torch.manual_seed(0)
    tokenizer = transformers.BertTokenizerFast(
        vocab={w: k for k, w in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS))}
    )
    config = transformers.GroundingDinoConfig(
        backbone_config=transformers.SwinConfig(
            image_size=32,
            embed_dim=8,
            depths=[1, 1, 1],
            num_heads=[1, 1, 1],
            window_size=2,
            out_indices=[1, 2, 3],
        ),
        text_config=transformers.BertConfig(
            vocab_size=len(tokenizer), max_position_embeddings=64, **TEXT
        ),
        num_queries=9,
        encoder_layers=1,
        encoder_ffn_dim=16,
        encoder_attention_heads=2,
        decoder_layers=2,
        decoder_ffn_dim=16,
        decoder_attention_heads=2,
        d_model=32,
        max_text_len=24,
    )
    transformers.GroundingDinoForObjectDetection(config).save_pretrained(folder)
    images = transformers.GroundingDinoImageProcessor(
        size={"shortest_edge": 64, "longest_edge": 96}
    )
    transformers.GroundingDinoProcessor(images, tokenizer).save_pretrained(folder)
    return folder


def owlv2(folder: Path) -> Path:
    torch.manual_seed(0)
    letters = sorted({letter + end for word in WORDS for letter in word for end in ("", "</w>")})
    vocab = {w: k for k, w in enumerate(("!", "<|startoftext|>", "<|endoftext|>", *letters))}
    tokenizer = transformers.CLIPTokenizerFast(vocab=vocab, merges=[])
    config = transformers.Owlv2Config(
        text_config={
            **TEXT,
            "vocab_size": len(vocab),
            "max_position_embeddings": 16,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "pad_token_id": 0,
        },
        vision_config={**TEXT, "image_size": 32, "patch_size": 8},
        projection_dim=16,
    )
    model = transformers.Owlv2ForObjectDetection(config)
    torch.nn.init.zeros_(
        model.box_head.dense2.weight
    )  # random ones put every box outside the picture
    model.save_pretrained(folder)
    images = transformers.Owlv2ImageProcessor(size={"height": 32, "width": 32})
    transformers.Owlv2Processor(images, tokenizer).save_pretrained(folder)
    return folder


def sam3(folder: Path) -> Path:
    torch.manual_seed(0)
    letters = sorted({letter + end for word in WORDS for letter in word for end in ("", "</w>")})
    vocab = {w: k for k, w in enumerate(("!", "<|startoftext|>", "<|endoftext|>", *letters))}
    small = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 16}
    config = transformers.Sam3Config(
        vision_config={
            "backbone_config": {
                "model_type": "sam3_vit_model",
                **small,
                "num_hidden_layers": 2,
                "image_size": 56,
                "pretrain_image_size": 28,
                "window_size": 2,
                "global_attn_indexes": [1],
            },
            "fpn_hidden_size": 16,
            "backbone_feature_sizes": [[16, 16], [8, 8], [4, 4]],
        },
        text_config={
            **TEXT,
            "model_type": "clip_text_model",
            "vocab_size": len(vocab),
            "max_position_embeddings": 16,
            "projection_dim": 16,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "pad_token_id": 2,
        },
        geometry_encoder_config={**small, "num_layers": 1, "roi_size": 3},
        detr_encoder_config={**small, "num_layers": 1},
        detr_decoder_config={**small, "num_layers": 1, "num_queries": 30},
        mask_decoder_config={"hidden_size": 16, "num_attention_heads": 2},
    )
    transformers.Sam3Model(config).save_pretrained(folder)
    images = transformers.Sam3ImageProcessor(size={"height": 56, "width": 56})
    tokenizer = transformers.CLIPTokenizerFast(vocab=vocab, merges=[], model_max_length=16)
    transformers.Sam3Processor(images, tokenizer).save_pretrained(folder)
    return folder


def depth_anything(folder: Path, kind: str = "metric") -> Path:
    torch.manual_seed(0)
    backbone = transformers.Dinov2Config(
        **DINO, num_hidden_layers=4, out_indices=[1, 2, 3, 4], reshape_hidden_states=False
    )
    config = transformers.DepthAnythingConfig(
        backbone_config=backbone,
        reassemble_hidden_size=8,
        neck_hidden_sizes=[8] * 4,
        fusion_hidden_size=8,
        head_hidden_size=8,
        depth_estimation_type=kind,
        max_depth=20,
    )
    transformers.DepthAnythingForDepthEstimation(config).save_pretrained(folder)
    size = {"height": 56, "width": 56}
    transformers.DPTImageProcessor(
        size=size, keep_aspect_ratio=True, ensure_multiple_of=14
    ).save_pretrained(folder)
    return folder


def depth_pro(folder: Path) -> Path:
    torch.manual_seed(0)
    encoder = {
        "model_type": "dinov2",
        **DINO,
        "image_size": 32,
        "patch_size": 8,
        "num_hidden_layers": 2,
    }
    config = transformers.DepthProConfig(
        patch_size=32,
        fusion_hidden_size=8,
        intermediate_hook_ids=[1, 0],
        intermediate_feature_dims=[8, 8],
        scaled_images_feature_dims=[8, 8, 8],
        merge_padding_value=1,
        use_fov_model=True,
        num_fov_head_layers=0,
        image_model_config=encoder,
        patch_model_config=encoder,
        fov_model_config=encoder,
    )
    transformers.DepthProForDepthEstimation(config).save_pretrained(folder)
    transformers.DepthProImageProcessor(size={"height": 128, "width": 128}).save_pretrained(folder)
    return folder


def orientation(folder: Path, rotations: int = 180) -> Path:
    torch.manual_seed(0)
    transformers.Dinov2Model(
        transformers.Dinov2Config(**DINO, num_hidden_layers=1)
    ).save_pretrained(folder)
    size = {"height": 28, "width": 28}
    transformers.BitImageProcessor(size={"shortest_edge": 28}, crop_size=size).save_pretrained(
        folder
    )
    save_file(head(8, 360 + 180 + rotations + 2).state_dict(), folder / HEAD)
    return folder
