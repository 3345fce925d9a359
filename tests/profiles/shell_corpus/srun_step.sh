#!/bin/bash
#SBATCH --job-name=qwen
#SBATCH --gres=gpu:4
module load cuda/12.8
export HF_HOME=/scratch/hub
srun --ntasks=1 --gres=gpu:4 -c 32 vllm serve Qwen/Qwen3.5-122B-A10B --tensor-parallel-size 4 --port 8163
